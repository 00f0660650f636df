import MultipeerCrypto
import Testing

@testable import MultipeerCore

@Suite("A node's memory of faults of its peers, SPEC §14.9")
struct PeersByBranchTests {
    @Test("Throw-away keys displace no peer of another branch from memory (R14.9-7)")
    func branches() throws {
        var peers = PeersByBranch(capacity: 6)
        let (carl, dora) = (try Peers.key(1), try Peers.key(2))
        peers.insert(carl, of: carl)
        peers.insert(dora, of: carl)
        for seed in 10..<40 as Range<UInt64> { peers.insert(try Peers.key(seed), of: try Peers.key(3)) }
        for seed in 40..<80 as Range<UInt64> { peers.insert(try Peers.key(seed), of: nil) }
        #expect(peers.keys.count == 6 && peers.inOrder.count == 6)
        #expect(peers.contains(carl) && peers.contains(dora))
        let last = try Peers.key(79)
        #expect(peers.contains(last))
        peers.remove(carl)
        #expect(!peers.contains(carl) && peers.inOrder.count == 5)
    }
}
