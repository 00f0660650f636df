public import FuzzSupport
import MultipeerVectors

extension FuzzTarget {
    /// A proved attacker's frames from *info* to *certificates*, and whatever comes then, against a model of SPEC §8, §10,
    /// §14, §16 – §18.
    public static let invitation = FuzzTarget(
        name: "Invitation", maximumLength: 500, memory: MemoryBudget(base: 6_291_456, perByte: 256),
        minimumFeatures: 15_300,
        seeds: { LinkFramesSeeds.invitation($0) }, run: { try attack($0) })

    /// A peer's frames on an open link, against a model of SPEC §13, §15 – §18. The same machine, with other beginnings.
    public static let payload = FuzzTarget(
        name: "Payload", maximumLength: 500, memory: MemoryBudget(base: 6_291_456, perByte: 256),
        minimumFeatures: 16_700,
        seeds: { LinkFramesSeeds.payload($0) }, run: { try attack($0) })

    private static func attack(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let setting = FramesSetting(&choices)
        let duel = try FramesDuel(setting)
        try duel.reach(setting.place)
        try duel.play(&choices)
        try duel.endStream()
    }
}
