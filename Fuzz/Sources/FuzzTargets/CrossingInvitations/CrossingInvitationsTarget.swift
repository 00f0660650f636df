public import FuzzSupport
import MultipeerCrypto
import MultipeerVectors

extension FuzzTarget {
    /// Invitations that cross on several links between two nodes, in any order of arrival: both must make the same of
    /// every link, and one invitation wins (SPEC §8.6, §8.7).
    public static let crossingInvitations = FuzzTarget(
        name: "CrossingInvitations", maximumLength: 512, memory: MemoryBudget(base: 65_536, perByte: 256),
        minimumFeatures: 1_600,
        seeds: { _ in Self.crossingSeeds }, run: { try cross($0) })

    private static func cross(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let keys = (0..<2).map { _ in choices.identityKey(2, then: 0x55) }
        guard keys[0] != keys[1] else { return }
        var world = CrossingWorld(keys)
        while !choices.isEmpty {
            let choice = choices.byte()
            let links = CrossingWorld.links
            let (side, link) = (Int(choice & 1), UInt64(choice >> 3) % UInt64(links.count) + links.lowerBound)
            switch choice >> 1 & 3 {
            case 0: world.invite(side, on: link)
            case 1: world.answer(side, on: link)
            default: try world.deliver(to: side, on: link)
            }
        }
        try world.finish()
    }

    /// Both invite on one link, and on two, and one of them on two more.
    private static let crossingSeeds: [[UInt8]] = [
        [0, 1, 0, 2, 0x00, 0x01],
        [0, 1, 0, 2, 0x00, 0x09],
        [0, 1, 0, 2, 0x00, 0x09, 0x11, 0x04, 0x0D, 0x05],
    ]
}
