public import FuzzSupport
import MultipeerVectors

extension FuzzTarget {
    /// Hellos and refusals: decoded, written again, answered and judged (SPEC §7).
    public static let negotiation = FuzzTarget(
        name: "Negotiation", maximumLength: 4_200, memory: MemoryBudget(base: 262_144, perByte: 64),
        minimumFeatures: 4_000,
        seeds: NegotiationSeeds.make, run: { try negotiate($0) })

    /// The first byte says which peer gets what, three more how it is set, the rest is the body or a list of choices.
    private static func negotiate(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let mode = choices.byte() & 3
        let setting = NegotiationSetting(&choices)
        if mode == 3 { return try InitiatorNegotiation(setting: setting).check(forged: &choices) }
        let body = choices.rest()
        try HelloRoundTrip.check(body)
        switch mode {
        case 0: try ResponderNegotiation(setting: setting).check(body)
        case 1: try InitiatorNegotiation(setting: setting).check(0x01, raw: body)
        default: try InitiatorNegotiation(setting: setting).check(0x02, raw: body)
        }
    }
}
