internal import MultipeerCrypto

/// Changes of what the clock and the app do. What is asked on behalf of an app stays what an app can ask.
enum AppSteps {
    private static let times = [
        0, 1, 2, 100, 999, 1_000, 4_999, 5_000, 5_001, 9_999, 10_000, 10_001, 29_999, 30_000, 30_001, 54_999, 55_000,
        59_999, 60_000, 60_001, 600_000,
    ]

    /// Codes of SPEC §25.4, as people type them.
    private static let codes = [
        "4-tulip-orbit", "4-tulip-acorn", "7-acorn-acorn", " 4 Tulip\tORBIT-", "1-zodiac-acorn", "999-apricot-orchard",
    ]

    /// Time passes.
    static func clock(_ dice: inout Dice) -> JSONValue {
        ["actor": "clock", "advance": .integer(dice.pick(times))]
    }

    /// The step with another number, length or word.
    static func changed(_ step: JSONValue, _ dice: inout Dice) -> JSONValue {
        guard case .object(var members) = step else { return step }
        if step["actor"] == "clock" { return clock(&dice) }
        if let code = step["code"]?.text, OneTimeCode(typed: code) != nil {
            members["code"] = .string(dice.pick(codes))
            return .object(members)
        }
        let names = members.keys.filter { changes[$0] != nil }.sorted()
        guard !names.isEmpty else { return step }
        let name = dice.pick(names)
        members[name] = changes[name]?(&dice)
        return .object(members)
    }

    private static let changes: [String: @Sendable (inout Dice) -> JSONValue] = [
        "preference": { .integer($0.below(3)) },
        "timeout": { .integer($0.pick([1, 2, 1_000, 30_000, 59_999, 60_000, 60_001, 600_000])) },
        "charter": { .hex($0.bytes(64) + [0]) },
        "label": { .hex($0.bytes($0.pick([0, 1, 255, 256]))) },
        "length": { .integer($0.pick([0, 1, 32, 33, 8_160, 8_161])) },
        "context": { .hex($0.bytes($0.pick([0, 1, 63, 64, 300]))) },
        "verdict": { .string($0.pick(["accept", "reject"])) },
        "message": { .hex($0.bytes($0.pick([0, 1, 2, 5, 16, 17, 63, 64, 500]))) },
        "size": { .integer($0.pick([0, 1, 2, 5, 6, 64, 1 << 53 - 1])) },
        "bytes": { .hex($0.bytes($0.pick([0, 1, 2, 3, 5, 6, 64]))) },
    ]
}
