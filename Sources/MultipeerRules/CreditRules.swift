import MultipeerScriptedPeer
package import MultipeerWire

/// CREDIT, ACK and PONG that say what cannot be: SPEC §13.3 – §13.7.
package enum CreditRules {
    private static func rule(
        _ id: String, _ comment: String, _ requirements: String, _ flag: String, _ code: CloseCode = .malformed,
        _ frames: @escaping @Sendable (any NumberingSender) -> [[UInt8]]
    ) -> AssociationRule {
        AssociationRule(id, comment, requirements, at: .open, code, flag, frames)
    }

    // MARK: Overdrafts

    package static let openings = [
        rule("13.3-openings-overdraft", "33 openings", "R13.3-1", "Overdraft", .creditExceeded) { sender in
            (0..<33).map { WireBytes.opening(sender.ownNumber($0)) }
        }
    ]

    package static let offers = [
        rule("13.3-offers-overdraft", "33 offers", "R13.3-1 R15.3-2", "Overdraft", .creditExceeded) { sender in
            (0..<33).map { WireBytes.fileOffer(sender.ownNumber($0), size: 5) }
        }
    ]

    // MARK: CREDIT

    /// CREDIT that does not raise the limit that every link begins with.
    package static func notRaised(_ kind: CreditKind) -> [AssociationRule] {
        let (name, limit): (String, UInt64) =
            switch kind {
            case .messages: ("messages", 262_144)
            case .openings: ("openings", 32)
            default: ("offers", 32)
            }
        return [
            rule("13.4-\(name)-equal", "CREDIT of \(name): the limit that holds", "R13.4-2", "NotRaised") { _ in
                [WireBytes.credit(kind, limit: limit)]
            },
            rule(
                "13.4-\(name)-lower", "CREDIT of \(name): a lower limit behind a higher one", "R13.4-2", "NotRaised"
            ) { _ in [WireBytes.credit(kind, limit: limit + 9), WireBytes.credit(kind, limit: limit + 8)] },
        ]
    }

    package static let malformed: [AssociationRule] = [
        rule("13.4-unknown-kind", "CREDIT of kind 5", "R13.4-1", "UnknownCritical", .unsupported) { _ in
            [WireBytes.credit(5, 0, 9)]
        },
        rule("13.4-id-of-messages", "CREDIT of messages with a number", "R13.4-1", "ValueOutOfRange") { _ in
            [WireBytes.credit(0, 1, 900_000)]
        },
    ]

    // MARK: PONG

    package static let pong = [
        rule("13.7-pong-short", "PONG that does not decode", "R13.7-2", "Truncated") { _ in
            [WireBytes.pong(Array(1...7))]
        }
    ]
}
