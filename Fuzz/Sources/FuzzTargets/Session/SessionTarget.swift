public import FuzzSupport
import MultipeerVectors

extension FuzzTarget {
    /// Two linked peers, from the first byte to the last: apps, time and the network do what the input says
    /// (SPEC §7 – §19).
    public static let session = FuzzTarget(
        name: "Session", maximumLength: 400, memory: MemoryBudget(base: 8_388_608, perByte: 0), minimumFeatures: 15_900,
        seeds: { _ in SessionSeeds.all }, run: { try play($0) })

    private static func play(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let setting = SessionSetting(&choices)
        let steps = choices.rest()
        let journal = try play(setting, steps, piece: nil)
        guard setting.piece > 0 else { return }
        let again = try play(setting, steps, piece: setting.piece)
        for (number, (one, two)) in zip(journal, again).enumerated() where one != two {
            throw OracleFailure("step \(number) goes otherwise when bytes arrive by \(setting.piece)")
        }
    }

    private static func play(_ setting: SessionSetting, _ steps: [UInt8], piece: Int?) throws -> [UInt64] {
        let world = SessionWorld(setting, piece: piece)
        try world.settle()
        for start in stride(from: 0, to: steps.count - 2, by: 3) {
            try world.perform(Array(steps[start..<start + 3]))
        }
        try world.finish()
        return world.journal
    }
}
