import MultipeerCrypto
import Testing

@testable import MultipeerCore

@Suite("What a node remembers of peers that misbehave, SPEC §14.9")
struct StandingTests {
    @Test("Keys that cost nothing push nobody of another branch out of memory (R14.9-7)")
    func branches() throws {
        var standing = Standing(mostOffenders: 6)
        let (carl, dora) = (try Peers.key(1), try Peers.key(2))
        standing.misbehaved(carl, in: carl)
        standing.misbehaved(dora, in: carl)
        for seed in 10..<40 as Range<UInt64> { standing.misbehaved(try Peers.key(seed), in: try Peers.key(3)) }
        for seed in 40..<80 as Range<UInt64> { standing.misbehaved(try Peers.key(seed), in: nil) }
        #expect(standing.offenders.count == 6)
        #expect(standing.hasMisbehaved(carl) && standing.hasMisbehaved(dora))
        let last = try Peers.key(79)
        #expect(standing.hasMisbehaved(last))
        standing.forgive(carl)
        #expect(!standing.hasMisbehaved(carl) && standing.offenders.count == 5)
    }
}
