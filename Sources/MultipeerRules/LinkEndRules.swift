import MultipeerScriptedPeer
import MultipeerWire

/// READY and CLOSE that do not decode: SPEC §10.5, §16.1.
package enum LinkEndRules {
    /// READY where it may come.
    package static func badReady(at place: Place) -> [LinkRule] {
        let bad: [(String, CloseCode, String, String, [UInt8])] = [
            ("ready-payload", .malformed, "TrailingBytes", "a byte behind its fields", [0, 0]),
            ("ready-empty", .malformed, "Truncated", "no field list", []),
            (
                "ready-even-field", .unsupported, "UnknownCritical", "an even field",
                WireBytes.vector(WireBytes.field(2, []))
            ),
        ]
        return bad.map { topic, code, flag, comment, payload in
            LinkRule(
                "10.5-\(topic)\(place == .selfReady ? "" : "-\(place.topic)")",
                "READY with \(comment) in \(place.rawValue)", "R3.4-3 R3.3-2", at: place, code, flag,
                // A live peer judges at once.
                section: "10.5", isLive: place == .selfReady
            ) { _ in [WireBytes.frame(.ready, payload)] }
        }
    }

    /// READY in a state that does not allow it: the state comes before the payload (R10.5-4).
    package static let earlyReady: [LinkRule] = [
        ("good", "a good payload", [0]), ("trailing", "a byte behind its fields", [0, 0]),
        ("even-field", "an even field", WireBytes.vector(WireBytes.field(2, []))),
    ].flatMap { (topic: String, comment: String, payload: [UInt8]) in
        [Place.certificatesInviter, .peerReady, .open].map { place in
            LinkRule(
                "10.5-early-ready-\(topic)-\(place.topic)",
                "READY in \(place.rawValue), early or a second time, with \(comment)", "R10.5-4 R18-1", at: place,
                .unexpectedFrame, "Precedence", section: "10.5",
                // The table of SPEC §17 has the good one.
                isLive: topic != "good"
            ) { _ in [WireBytes.frame(.ready, payload)] }
        }
    }

    package static let certificatesTwice = [
        LinkRule(
            "10.2-second-cut", "a second CERTIFICATES that does not decode", "R18-1", at: .judging, .unexpectedFrame,
            "Precedence"
        ) { _ in [WireBytes.frame(.certificates, [9])] }
    ]

    /// CLOSE that does not decode.
    package static let close: [LinkRule] = [
        ("no-code", []), ("no-fields", [0]), ("trailing-byte", [0, 0, 0]), ("long-code", [0x40, 0, 0]),
    ].map { (topic: String, payload: [UInt8]) in
        LinkRule(
            "16.1-\(topic)", "CLOSE that does not decode: \(payload)", "R3.2-1 R3.3-2", also: "R3.3-1", at: .open,
            .malformed, "Truncated"
        ) { _ in [WireBytes.frame(.close, payload)] }
    }
}
