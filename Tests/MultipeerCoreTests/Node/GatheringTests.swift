import Foundation
import MultipeerCore
import MultipeerTesting
import Testing

@Suite("Apps that all invite each other, SPEC §§8.7, 13.9, 14.11")
struct GatheringTests {
    /// How many seeds there are for so many apps: 10,010 in all for the long proof, 300 in a release build, most of them for the few apps
    /// that cost little, and some elsewhere.
    private static func seeds(for count: Int) -> UInt64 {
        if ProcessInfo.processInfo.environment["MULTIPEER_FULL"] != nil { return 910 }
        #if DEBUG
            return 3
        #else
            return count <= 6 ? 48 : 10
        #endif
    }

    private static func gathering(_ count: Int, seed: UInt64) throws -> Gathering {
        var options = Simulator.Options()
        options.latency = 1...(seed % 3 == 0 ? 200 : 40)
        let network = Simulator(seed: seed &* 100 &+ UInt64(count), options: options)
        for seed in try Networks.seeds(count) { try Networks.add(seed, to: network) { $0.grace = .seconds(60) } }
        let troubles =
            switch seed % 5 {
            case 0: Gathering.Troubles()
            case 1: Gathering.Troubles(cuts: 6)
            case 2: Gathering.Troubles(cuts: 3, partitions: 1)
            case 3: Gathering.Troubles(cuts: 2, crashes: 2)
            default: Gathering.Troubles(cuts: 4, partitions: 1, crashes: 2)
            }
        return Gathering(network, troubles, refusing: seed % 2 == 0 ? 0 : 10)
    }

    @Test(
        "Those that have said yes come together in one session, nobody else does, and no message is lost or comes twice",
        arguments: 2...12)
    func gather(count: Int) throws {
        var durations: [Duration] = []
        for seed in 1...Self.seeds(for: count) {
            let gathering = try Self.gathering(count, seed: seed)
            if let duration = gathering.run() { durations.append(duration) }
            #expect(gathering.complaints.isEmpty, "\(count) apps, seed \(seed): \(gathering.complaints)")
        }
        guard durations.count > 100 else { return }
        durations.sort()
        let shares = [50, 75, 90, 95, 99].map { "\($0) %: \(durations[durations.count * $0 / 100])" }
        print("\(count) apps are together after the last fault: \(shares.joined(separator: ", "))")
    }
}
