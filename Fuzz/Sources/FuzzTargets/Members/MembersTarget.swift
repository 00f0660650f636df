public import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire

extension FuzzTarget {
    /// Members of a session in a simulated network, each with the driver that programs have (`NodeDriver`): apps send, close, leave and
    /// come back, programs crash, connections break. Afterwards all are linked, rosters are equal, each result of a message is
    /// true, and no memory is held for anybody.
    public static let members = FuzzTarget(
        name: "Members", maximumLength: 192, memory: MemoryBudget(base: 33_554_432, perByte: 1_048_576),
        minimumFeatures: 1_000,
        seeds: { _ in Self.memberSeeds }, run: { try churn($0) })

    private static func churn(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let isSmall = choices.bool()
        let network = Simulator(seed: UInt64(choices.byte()))
        for persona in Persona.allCases.prefix(isSmall ? 2 : 3) {
            network.add(
                "\(persona)",
                NodeConfiguration(
                    link: persona.configuration(.summed), memberTerms: SessionTerms(encryption: .optional)))
        }
        guard let session = network.found(network.hosts[0]) else { throw OracleFailure("no session") }
        for host in network.hosts.dropFirst() { network.connect(network.hosts[0], to: host, inviting: session) }
        network.run(for: .seconds(5))
        var churn = Churn(network, session, choices)
        while churn.hasChoices { churn.step() }
        churn.settle()
        try requireEqual(churn.complaints, [], "complaints")
    }

    /// An operation is the host, what it does, and for how long nothing else happens.
    private static let memberSeeds: [[UInt8]] = (0..<16).map { seed in
        var dice = SeededRandomSource(seed: UInt64(seed))
        return (0..<96).map { _ in UInt8(dice.next(below: 256)) }
    }
}

extension Choices: ChurnChoices {
    /// Fewer than 65,536.
    public mutating func next(below bound: Int) -> Int { int(below: bound) }
}

extension Churn<Choices> {
    fileprivate var hasChoices: Bool { !choices.isEmpty }
}
