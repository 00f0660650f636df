public import FuzzSupport
import MultipeerTesting

extension FuzzTarget {
    /// Proofs that come through the channel, changed (SPEC §9.5, §9.6). Ed25519 is real, the channel around it is not.
    public static let proof = FuzzTarget(
        name: "Proof", maximumLength: 256, memory: MemoryBudget(base: 524_288, perByte: 256), minimumFeatures: 2_100,
        seeds: ProofSeeds.make, run: { try prove($0) })

    /// Role, expectation and suite; which proof to begin with; then changes of three bytes each.
    private static func prove(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let duel = try ProofDuel(choices.byte(), .provingSummed)
        let candidate = choices.pick(ProofCandidate.allCases)
        var payload = try candidate.payload(duel.duel.evil, .provingSummed, &choices)
        for _ in 0..<8 where !choices.isEmpty { change(&payload, &choices) }
        try duel.show(payload)
    }

    private static func change(_ payload: inout [UInt8], _ choices: inout Choices) {
        let (action, place, value) = (choices.byte(), Int(choices.byte()), choices.byte())
        guard !payload.isEmpty else {
            payload = [value]
            return
        }
        switch action % 8 {
        case 0, 1: payload[place % payload.count] ^= 1 << (value % 8)
        case 2, 3: payload[place % payload.count] ^= value
        case 4, 5: payload[place % payload.count] = value
        case 6: payload.removeLast(min(payload.count, place))
        default: payload += [UInt8](repeating: value, count: place)
        }
    }
}
