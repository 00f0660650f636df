import MultipeerCrypto
import Testing

@testable import MultipeerCore

@Suite("What a node remembers of peers that misbehave, SPEC §14.9")
struct PeerReputationTests {
    @Test("Keys that cost nothing push nobody of another branch out of memory (R14.9-7)")
    func branches() throws {
        var reputation = PeerReputation(mostOffenders: 6)
        let (carl, dora) = (try Peers.key(1), try Peers.key(2))
        reputation.misbehaved(carl, in: carl)
        reputation.misbehaved(dora, in: carl)
        for seed in 10..<40 as Range<UInt64> { reputation.misbehaved(try Peers.key(seed), in: try Peers.key(3)) }
        for seed in 40..<80 as Range<UInt64> { reputation.misbehaved(try Peers.key(seed), in: nil) }
        #expect(reputation.offenders.count == 6)
        #expect(reputation.hasMisbehaved(carl) && reputation.hasMisbehaved(dora))
        let last = try Peers.key(79)
        #expect(reputation.hasMisbehaved(last))
        reputation.forgive(carl)
        #expect(!reputation.hasMisbehaved(carl) && reputation.offenders.count == 5)
    }
}
