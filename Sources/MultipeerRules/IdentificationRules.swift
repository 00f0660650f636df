import MultipeerScriptedPeer
import MultipeerWire

/// PEER_INFO, and what holds in every state: SPEC §6.3, §6.4, §8.1.
package enum IdentificationRules {
    private static func info(
        _ id: String, _ comment: String, _ requirements: String, _ flag: String, _ payload: [UInt8]
    ) -> LinkRule {
        LinkRule(id, comment, requirements, at: .info, .malformed, flag, section: "8.1") { _ in
            [WireBytes.frame(.peerInfo, payload)]
        }
    }

    private static let limit = WireBytes.varint(4_096)

    package static let peerInfo: [LinkRule] = [
        info(
            "4.2-name-stray-byte", "a name that is not UTF-8", "R4.2-1", "IllFormedText",
            [2, 0xC3, 0x28] + limit + [0, 0]),
        info(
            "4.2-name-control", "a line end in the name", "R4.2-1", "ForbiddenCodePoint",
            [2, 0x41, 0x0A] + limit + [0, 0]),
        info(
            "4.2-name-bidi", "a bidirectional override in the name", "R4.2-1", "ForbiddenCodePoint",
            [4, 0x41, 0xE2, 0x80, 0xAE] + limit + [0, 0]),
        info("8.1-maximum-zero", "maximumMessage 0", "R8.1-2", "ValueOutOfRange", [1, 0x41, 0, 0, 0]),
        info(
            "8.1-features-descending", "features that descend", "R8.1-3", "NotAscending",
            [1, 0x41] + limit + WireBytes.values([9, 8]) + [0]),
        info("3.4-field-twice", "a field twice", "R3.4-1", "Duplicate", [1, 0x41] + limit + [0, 4, 1, 0, 1, 0]),
        info("3.3-trailing-bytes", "a byte at the end", "R3.3-2", "TrailingBytes", [1, 0x41] + limit + [0, 0, 0]),
        LinkRule(
            "3.4-even-field", "an even field", "R3.4-3", at: .info, .unsupported, "UnknownCritical"
        ) { [$0.peerInfo(fields: WireBytes.field(2, []))] },
    ]

    /// An unknown frame of even type, in each state after PROOF.
    package static func evenFrame(at place: Place) -> LinkRule {
        LinkRule(
            "6.4-even-\(place.topic)", "an unknown even frame in \(place.rawValue)", "R6.4-2", at: place, .unsupported,
            "UnknownCritical"
        ) { _ in [WireBytes.frame(WireBytes.unknownEven, [])] }
    }

    /// Several frames of one record, of which the first fault is reported.
    package static let inOrder: [LinkRule] = [
        LinkRule(
            "6.3-good-before-unexpected", "a good frame before the unexpected one is acted on", "R6.3-2", at: .info,
            .unexpectedFrame, "FrameBeforeFault"
        ) { [$0.peerInfo(), WireBytes.ready] },
        LinkRule(
            "6.3-good-before-cut", "a good frame before one that claims too much is acted on", "R6.3-1 R6.3-2",
            at: .info,
            .malformed, "FrameBeforeFault"
        ) { [$0.peerInfo(), [0x10, 9]] },
        LinkRule(
            "18-first-fault", "the first of two faults is told", "R6.3-2 R18-1", at: .info, .unexpectedFrame,
            "TwoFaults"
        ) { _ in [WireBytes.ready, WireBytes.frame(WireBytes.unknownEven, [])] },
        LinkRule(
            "18-type-before-state", "an unknown type comes before the state", "R18-1", at: .info, .unsupported,
            "Precedence"
        ) { _ in [WireBytes.frame(WireBytes.unknownEven, []), WireBytes.ready] },
        LinkRule(
            "18-state-before-payload", "the state comes before the payload", "R18-1", at: .info, .unexpectedFrame,
            "Precedence"
        ) { _ in [WireBytes.frame(.ready, [1, 2])] },
    ]
}
