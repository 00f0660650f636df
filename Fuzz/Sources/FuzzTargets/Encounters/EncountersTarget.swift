public import FuzzSupport
import MultipeerTesting

extension FuzzTarget {
    /// Apps that invite each other at any time, say yes, no or nothing, and lose links and programs (SPEC §8.7): no app has two open
    /// links to a peer, nobody is linked without a yes, and afterwards two that agree are linked.
    public static let encounters = FuzzTarget(
        name: "Encounters", maximumLength: 256, memory: MemoryBudget(base: 4_194_304, perByte: 65_536),
        minimumFeatures: 24_800,
        seeds: { _ in Self.encounterSeeds }, run: { try meet($0) })

    private static func meet(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let isSmall = choices.bool()
        let seed = choices.byte()
        // Without an operation there is nothing to see that other inputs do not show.
        guard !choices.isEmpty else { return }
        var encounters = Encounters(memberNetwork(of: isSmall ? 2 : 3, seed: UInt64(seed)), choices)
        while !encounters.choices.isEmpty { encounters.step() }
        encounters.settle()
        try requireEqual(encounters.complaints, [], "complaints")
    }

    private static let encounterSeeds = operationSeeds(100..<116)
}
