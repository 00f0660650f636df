import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Sharing a direction, SPEC §15.2")
struct SchedulingTests {
    @Test("Four bytes of messages for one of bulk, over 100,000 frames, within one quantum")
    func share() {
        var share = FairShare()
        var dice = SplitMix(seed: 5)
        var (messages, bulk) = (0, 0)
        var worst = 0
        for _ in 0..<100_000 {
            guard let (turn, allowance) = share.next(messages: true, bulk: true) else { break }
            #expect(allowance > 0)
            let count = min(allowance, 1 + Int(dice.next() % 70_000))
            share.spend(count)
            if turn == .messages { messages += count } else { bulk += count }
            worst = max(worst, abs(messages - 4 * bulk))
        }
        #expect(bulk > 1_000_000 && worst <= 4 * FairShare.quantum)
    }

    @Test("A lone class has no limit, and no class saves up turns")
    func alone() {
        var share = FairShare()
        #expect(share.next(messages: false, bulk: false) == nil)
        for _ in 0..<10 {
            #expect(share.next(messages: true, bulk: false)?.allowance == .max)
            share.spend(60_000)
        }
        var first: [FairShare.Class: Int] = [:]
        for _ in 0..<2 {
            guard let (turn, allowance) = share.next(messages: true, bulk: true) else { break }
            first[turn] = allowance
            share.endTurn()
        }
        #expect(first == [.messages: 4 * FairShare.quantum, .bulk: FairShare.quantum])
    }

    @Test("Numbers take turns of one quantum; a lone one continues")
    func ring() {
        var ring = BulkRing()
        #expect(ring.first == nil)
        ring.append(4)
        #expect(ring.allowance == .max)
        ring.append(7)
        ring.append(8)
        var sent: [UInt64: Int] = [:]
        for _ in 0..<30_000 {
            guard let id = ring.first else { break }
            let count = min(ring.allowance, 1_000)
            sent[id, default: 0] += count
            ring.spend(count)
        }
        let counts = sent.values.sorted()
        #expect(counts.count == 3 && counts[2] - counts[0] <= BulkRing.quantum)
        ring.removeFirst()
        ring.removeFirst()
        #expect(ring.count == 1 && ring.allowance == .max)
        ring.removeFirst()
        ring.removeFirst()
        #expect(ring.isEmpty)
    }
}

/// A seeded generator for choices.
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }
}
