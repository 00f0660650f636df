import FuzzSupport
import MultipeerCore

/// What a link does depends on the bytes, and not on the pieces in which they come.
enum HandshakeReplay {
    /// The same inputs, cut differently: the same effects and the same bytes.
    static func check(_ side: borrowing HandshakeSide, pieces: [Int]) throws {
        var again = HandshakeSide(side.role, side.setting)
        _ = try again.settle(at: HandshakeSetting.start)
        for input in side.inputs { _ = try again.take(input, pieces: pieces) }
        try requireEqual(again.effects, side.effects, "\(side.role): effects in pieces of \(pieces)")
        try requireEqual(again.sent, side.sent, "\(side.role): bytes in pieces of \(pieces)")
        try requireEqual(again.stage, side.stage, "\(side.role): stage in pieces of \(pieces)")
        try requireEqual(again.deadline, side.deadline, "\(side.role): deadline in pieces of \(pieces)")
    }

    /// All bytes at once, while the app is away: it may see less, but nothing else.
    static func checkAtOnce(_ side: borrowing HandshakeSide, _ baseline: HandshakeBaseline.Side) throws {
        var again = HandshakeSide(side.role, side.setting)
        _ = try again.settle(at: HandshakeSetting.start)
        _ = try again.take(.bytes(side.received, HandshakeSetting.start))
        try IdentityOracle.check(again)
        guard side.setting.crypto.isSealing else { return }
        let intact = HandshakeOracle.intactRecords(side.received, baseline)
        let honest = baseline.visible.prefix(baseline.effectCounts[intact.count])
        try require(
            honest.starts(with: again.visible), "\(side.role) showed \(again.visible), all at once, and not \(honest)")
    }
}
