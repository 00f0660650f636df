import MultipeerScriptedPeer
import MultipeerWire

/// Streams: SPEC §15.6.
package enum StreamRules {
    private static func rule(
        _ topic: String, _ comment: String, _ requirements: String, _ code: CloseCode, _ flag: String,
        _ frames: @escaping @Sendable (UInt64) -> [[UInt8]]
    ) -> AssociationRule {
        AssociationRule("15.6-\(topic)", comment, requirements, at: .open, code, flag) { frames($0.ownNumber()) }
    }

    package static let sizes: [AssociationRule] = {
        let sizes: [(String, UInt64, String)] = [
            ("end-too-small", 4, "a byte less"), ("end-too-large", 6, "a byte more"), ("end-nothing", 0, "nothing"),
            ("end-most", VarInt.maximum, "the most"),
        ]
        return sizes.map { topic, size, comment in
            rule(topic, "STREAM_END says \(comment)", "R15.6-3", .malformed, "WrongSize") {
                [WireBytes.opening($0), WireBytes.streamData($0, "hello"), WireBytes.streamEnd($0, size)]
            }
        }
    }()

    package static let places: [AssociationRule] = [
        rule("empty-data", "STREAM_DATA of no bytes", "R15.6-2", .malformed, "EmptyData") {
            [WireBytes.opening($0), WireBytes.streamData($0, "")]
        },
        rule(
            "empty-data-unopened", "STREAM_DATA of no bytes and of an unused number", "R15.6-2 R15.4-1", .malformed,
            "Precedence"
        ) { [WireBytes.streamData($0, "")] },
        rule(
            "place-before-size", "STREAM_END of a wrong size behind the end", "R15.6-4 R15.4-1", .unexpectedFrame,
            "Precedence"
        ) { [WireBytes.opening($0), WireBytes.streamEnd($0, 0), WireBytes.streamEnd($0, 7)] },
    ]

    /// A frame of a direction, by its number.
    private struct DirectionFrame {
        let topic: String
        let name: String
        let frame: @Sendable (UInt64) -> [UInt8]
    }

    /// What comes after the end of a direction.
    package static let behindTheEnd: [AssociationRule] = {
        let ends = [
            DirectionFrame(topic: "end", name: "STREAM_END") { WireBytes.streamEnd($0, 0) },
            DirectionFrame(topic: "reset", name: "STREAM_RESET") { WireBytes.streamReset($0) },
        ]
        let behind = [DirectionFrame(topic: "data", name: "STREAM_DATA") { WireBytes.streamData($0, "x") }] + ends
        return ends.flatMap { end in
            behind.map { next in
                rule(
                    next.topic == end.topic ? "\(end.topic)-twice" : "\(next.topic)-behind-\(end.topic)",
                    "\(next.name) behind \(end.name)", "R15.6-4", .unexpectedFrame, "EndedDirection"
                ) { [WireBytes.opening($0), end.frame($0), next.frame($0)] }
            }
        }
    }()

    package static let names: [AssociationRule] = [
        rule("ill-formed-name", "a name that is not UTF-8", "R15.6-1", .malformed, "IllFormedText") {
            [WireBytes.frame(.streamOpen, WireBytes.varint($0) + [5, 1, 0xFF, 0])]
        }
    ]

    package static let wrongNumberOverCredit: [AssociationRule] = [
        AssociationRule(
            "13.3-openings-number-first", "a wrong number over the credit", "R15.6-1 R13.2-1", at: .open, .malformed,
            "Precedence", section: "15.6"
        ) { sender in
            (0..<32).map { WireBytes.opening(sender.ownNumber($0)) } + [WireBytes.opening(sender.ownNumber(33))]
        }
    ]
}
