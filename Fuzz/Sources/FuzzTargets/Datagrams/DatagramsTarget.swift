public import FuzzSupport
import MultipeerVectors

extension FuzzTarget {
    /// One path of SPEC §26 under attack by a peer that has the keys of the link, and by anybody on the way. Whatever comes, nothing is
    /// delivered twice or forged, nothing goes to a port that has proved nothing, and all that goes has its bound.
    public static let datagrams = FuzzTarget(
        name: "Datagrams", maximumLength: 1_024, memory: MemoryBudget(base: 2_097_152, perByte: 4_096),
        seeds: { _ in DatagramsSeeds.make() }, run: { try attack($0) })

    /// Role and suite, then operations to the end.
    private static func attack(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        var duel = try DatagramsDuel(choices.byte())
        for _ in 0..<256 where !choices.isEmpty { try duel.perform(&choices) }
    }
}

/// Operations to begin with.
enum DatagramsSeeds {
    static func make() -> [[UInt8]] {
        /// A probe that asks, its answer, messages both ways, and a report.
        let proved: [UInt8] = [2, 1, 0, 0, 2, 0, 1, 0, 5, 10, 5, 20, 1, 0, 3, 4, 1, 3, 0, 0, 6, 2]
        let silence: [UInt8] = [2, 1, 0, 0, 2, 0, 1, 0] + [5, 1, 4, 3, 5, 1, 4, 4, 5, 1, 4, 5, 2, 0, 1, 0, 5, 1, 4, 5]
        return [0, 1, 2, 3].flatMap { (setting: UInt8) in
            [
                [setting] + proved, [setting] + silence, [setting, 0, 3, 1, 7, 0, 0, 1, 7, 1, 9],
                [setting, 2, 1, 0, 0, 2, 1, 0, 1, 2, 1, 0, 2, 4, 7, 2, 0, 1, 1, 4, 7],
            ]
        }
    }
}
