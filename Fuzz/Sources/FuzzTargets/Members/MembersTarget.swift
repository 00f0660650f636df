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
        name: "Members", maximumLength: 192, memory: memberMemory, minimumFeatures: 28_800,
        seeds: { _ in Self.memberSeeds }, run: { try churn($0) })

    /// Five bytes make an app send half a megabyte, which it keeps, and so do the two that get it: 60 MB for the longest input.
    private static let memberMemory = MemoryBudget(base: 4_194_304, perByte: 393_216)

    private static func churn(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let isSmall = choices.bool()
        let seed = choices.byte()
        // Without an operation there is nothing to see that other inputs do not show.
        guard !choices.isEmpty else { return }
        let network = memberNetwork(of: isSmall ? 2 : 3, seed: UInt64(seed))
        guard let session = network.found(network.hosts[0]) else { throw OracleFailure("no session") }
        for host in network.hosts.dropFirst() { network.connect(network.hosts[0], to: host, inviting: session) }
        network.run(for: .seconds(5))
        var churn = Churn(network, session, choices)
        while !churn.choices.isEmpty { churn.step() }
        churn.settle()
        try requireEqual(churn.complaints, [], "complaints")
    }

    /// Hosts that do not know each other, with persons as their identities.
    static func memberNetwork(of count: Int, seed: UInt64) -> Simulator {
        let network = Simulator(seed: seed)
        for persona in Persona.allCases.prefix(count) {
            let link = persona.configuration(.summed)
            network.add(
                "\(persona)", NodeConfiguration(link: link, memberTerms: SessionTerms(encryption: .optional)))
        }
        return network
    }

    /// An operation is the host, what it does, and for how long nothing else happens.
    private static let memberSeeds = operationSeeds(0..<16)

    /// One input of 96 bytes for each number, as chance has it.
    static func operationSeeds(_ numbers: Range<UInt64>) -> [[UInt8]] {
        numbers.map { number in
            var dice = SeededRandomSource(seed: number)
            return (0..<96).map { _ in UInt8(dice.next(below: 256)) }
        }
    }
}

extension Choices: ChurnChoices {
    /// Fewer than 65,536.
    public mutating func next(below bound: Int) -> Int { int(below: bound) }
}
