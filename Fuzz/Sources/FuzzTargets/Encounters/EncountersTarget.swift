public import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire

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
        let network = Simulator(seed: UInt64(seed))
        for persona in Persona.allCases.prefix(isSmall ? 2 : 3) {
            let terms = SessionTerms(encryption: .optional)
            network.add("\(persona)", NodeConfiguration(link: persona.configuration(.summed), memberTerms: terms))
        }
        var encounters = Encounters(network, choices)
        while encounters.hasChoices { encounters.step() }
        encounters.settle()
        try requireEqual(encounters.complaints, [], "complaints")
    }

    private static let encounterSeeds: [[UInt8]] = (0..<16).map { seed in
        var dice = SeededRandomSource(seed: UInt64(seed) + 100)
        return (0..<96).map { _ in UInt8(dice.next(below: 256)) }
    }
}

extension Encounters<Choices> {
    fileprivate var hasChoices: Bool { !choices.isEmpty }
}
