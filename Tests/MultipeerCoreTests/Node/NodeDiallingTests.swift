import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Members that a node dials, SPEC §14.8")
struct NodeDiallingTests {
    /// A node that is a member with a founder's line, and what the founder reports to it of others.
    private struct Setting {
        let duel: NodeDuel
        let founder: ScriptedPeer
        let session: SessionID

        init(seed: UInt64 = 1, founder: UInt64 = 2, listens: Bool = true, isWithinHost: Bool = false) throws {
            duel = try NodeDuel(seed: seed) { if !listens { $0.addresses = [] } }
            let (_, peer, session) = try duel.joined(founder, isWithinHost: isWithinHost)
            self.founder = peer
            self.session = session
            let admission = try peer.admission(of: duel.key.rawBytes, to: peer.ownCharter.encoded)
            try peer.send(WireBytes.admit(admission) + WireBytes.roster([try peer.ownEntry()]))
            try duel.exchange()
        }

        /// The founder reports a member that listens at these hosts.
        func tell(
            of seed: UInt64, at hosts: [MemberAddress], instance: UInt64 = 1, presence: UInt8 = 1
        ) throws {
            let (member, charter) = (try Peers.identity(seed), founder.ownCharter.encoded)
            let chain = try founder.admission(of: member.identityKey.rawBytes, to: charter)
            let addresses = hosts.flatMap { [$0.kind] + WireBytes.vector($0.value) }
            let content = WireBytes.entryContent(
                member.identityKey.rawBytes, instance: instance, presence: presence, addresses: addresses, chain: chain)
            try founder.send(WireBytes.roster([try founder.entry(content, in: charter, by: member)]))
            try duel.exchange()
        }
    }

    private static func address(_ last: UInt8) -> MemberAddress { DialBoundsTests.ipv4([192, 0, 2, last]) }

    @Test("The lesser key dials at once, the greater 500 ms later, or at once if it cannot be dialled itself")
    func courtesy() throws {
        let seeds = try Networks.seeds(3)
        for (own, other, listens, wait) in [
            (seeds[0], seeds[2], true, 0), (seeds[2], seeds[0], true, 500), (seeds[2], seeds[0], false, 0),
        ] as [(UInt64, UInt64, Bool, Int64)] {
            let setting = try Setting(seed: own, founder: seeds[1], listens: listens)
            try setting.tell(of: other, at: [Self.address(1)])
            if wait > 0 {
                try setting.duel.advance(by: .milliseconds(wait - 1))
                #expect(setting.duel.dials.isEmpty)
                try setting.duel.advance(by: .milliseconds(1))
            }
            #expect(setting.duel.dials.map { $0.address } == [Self.address(1)])
        }
    }

    @Test("Addresses are tried 250 ms apart, and local ones never (R14.8-4)")
    func addresses() throws {
        let setting = try Setting()
        let local = DialBoundsTests.ipv4([127, 0, 0, 1])
        try setting.tell(of: 3, at: [Self.address(1), local, Self.address(2), Self.address(3)])
        try setting.duel.advance(by: .seconds(2))
        #expect(setting.duel.dials.map { $0.address } == [1, 2, 3].map(Self.address))
    }

    @Test("The first address with the expected PROOF wins; no PROOF is sent on the others (R14.8-7)")
    func firstProof() throws {
        let setting = try Setting()
        let duel = setting.duel
        try setting.tell(of: 3, at: [1, 2, 3].map(Self.address))
        try duel.advance(by: .seconds(2))
        #expect(duel.dials.count == 3)
        let slow = try #require(try duel.answer(duel.dials[0].number, as: 3))
        let quick = try #require(try duel.answer(duel.dials[1].number, as: 3))
        try quick.peer.send(try quick.peer.proof())
        try duel.exchange()
        #expect(quick.peer.sentTypes.contains(.proof) && quick.peer.sentTypes.contains(.invite))
        #expect(slow.peer.sentTypes == [.close] && slow.peer.closeCode == .noError)
        #expect(duel.cancelled == [duel.dials[2].number])
        #expect(duel.state(of: quick.peer, in: setting.session) == .linking)
        // A connection that comes in spite of it is not needed.
        let late = try duel.answer(duel.dials[2].number, as: 3)
        #expect(late == nil)
    }

    @Test("Another peer at the address is a loss, and no fault of the member; the next round waits (R14.8-6, R14.9-2)")
    func somebodyElse() throws {
        let setting = try Setting()
        let duel = setting.duel
        try setting.tell(of: 3, at: [Self.address(1)])
        try duel.advance(by: .seconds(1))
        let other = try #require(try duel.answer(duel.dials[0].number, as: 4))
        try other.peer.send(try other.peer.proof())
        try duel.exchange()
        #expect(other.peer.closeCode == .unexpectedIdentity && !other.peer.sentTypes.contains(.invite))
        let state = duel.node.state(of: try Peers.key(3), in: setting.session)
        #expect(state == .known && duel.departures(of: other.peer).isEmpty)
        try duel.advance(by: .seconds(58))
        #expect(duel.dials.count == 1)
        try duel.advance(by: .seconds(3))
        #expect(duel.dials.count == 2)
    }

    @Test("An attempt that nobody answers is given up after 4 s")
    func patience() throws {
        let setting = try Setting()
        try setting.tell(of: 3, at: [Self.address(1)])
        try setting.duel.advance(by: .milliseconds(3_400))
        #expect(setting.duel.dials.count == 1 && setting.duel.cancelled.isEmpty)
        try setting.duel.advance(by: .seconds(1))
        #expect(setting.duel.cancelled == [setting.duel.dials[0].number])
    }

    @Test("Four at once for members that were never linked; a failure frees its place only after its 4 s (R14.8-5)")
    func atOnce() throws {
        let setting = try Setting()
        for seed in 3...9 as ClosedRange<UInt64> { try setting.tell(of: seed, at: [Self.address(UInt8(seed))]) }
        try setting.duel.advance(by: .seconds(1))
        #expect(setting.duel.dials.count == 4)
        setting.duel.node.failed(setting.duel.dials[0].number, at: setting.duel.now)
        try setting.duel.exchange()
        #expect(setting.duel.dials.count == 4)
        try setting.duel.advance(by: .seconds(4))
        #expect(setting.duel.dials.count == 7)
        #expect(Set(setting.duel.dials.map { $0.address }).count == 7)
    }

    @Test("Entries that all name one host cause 16 attempts in a minute, for all members together (R14.8-5)")
    func aimed() throws {
        let setting = try Setting()
        let duel = setting.duel
        for seed in 3...12 as ClosedRange<UInt64> {
            let ports = (0..<8 as Range<UInt8>).map { [UInt8(seed), $0] }
            try setting.tell(of: seed, at: ports.map { DialBoundsTests.ipv4([192, 0, 2, 9], port: $0) })
        }
        var answered = 0
        func pass(seconds: Int) throws {
            for _ in 0..<seconds * 4 {
                try duel.advance(by: .milliseconds(250))
                for dial in duel.dials.dropFirst(answered) { duel.node.failed(dial.number, at: duel.now) }
                answered = duel.dials.count
                try duel.exchange()
            }
        }
        try pass(seconds: 59)
        #expect(duel.dials.count == 16)
        try pass(seconds: 60)
        #expect((17...32).contains(duel.dials.count))
    }

    private struct Missing: Error {}

    /// What a third host does with a peer that connects to it.
    enum ThirdHost: CaseIterable {
        case dropsEverything, refuses, isSilent, isSomebodyElse
    }

    /// Half the members of an attacker list a port of a third host, and the others are its own, where it sees when they are dialled.
    @Test(
        "The timing of the next address does not reveal the result of the one before (R14.8-5, R14.8-6)",
        arguments: ThirdHost.allCases)
    func oracle(host: ThirdHost) throws {
        #expect(try Self.dials(beside: host) == Self.dials(beside: .dropsEverything))
    }

    /// How many addresses were dialled, each half second.
    private static func dials(beside host: ThirdHost) throws -> [Int] {
        let setting = try Setting()
        let duel = setting.duel
        let third = address(99)
        for seed in 3...6 as ClosedRange<UInt64> { try setting.tell(of: seed, at: [third]) }
        for seed in 7...10 as ClosedRange<UInt64> { try setting.tell(of: seed, at: [address(UInt8(seed))]) }
        var (counts, answered) = ([Int](), 0)
        for _ in 0..<300 {
            try duel.advance(by: .milliseconds(500))
            let new = duel.dials.dropFirst(answered)
            answered = duel.dials.count
            for dial in new where dial.address == third {
                switch host {
                case .dropsEverything: break
                case .refuses: duel.node.failed(dial.number, at: duel.now)
                case .isSilent: _ = duel.node.connected(dial.number, at: duel.now)
                case .isSomebodyElse:
                    let other = try #require(try duel.answer(dial.number, as: 200))
                    try other.peer.send(try other.peer.proof())
                }
            }
            try duel.exchange()
            counts.append(answered)
        }
        return counts
    }

    @Test(
        "Loopback addresses are dialled if the entry came over a link within the host, also after a restart (R14.8-4)"
    )
    func thisHost() throws {
        for isWithinHost in [false, true] {
            let setting = try Setting(isWithinHost: isWithinHost)
            let local = DialBoundsTests.ipv4([127, 0, 0, 1])
            try setting.tell(of: 3, at: [local])
            try setting.duel.advance(by: .seconds(1))
            #expect(setting.duel.dials.map { $0.address } == (isWithinHost ? [local] : []))
            guard let memory = setting.duel.node.memory(of: setting.session) else { throw Missing() }
            #expect(memory.onThisHost.contains(try Peers.key(3)) == isWithinHost)
            let later = try NodeDuel(seed: 1)
            _ = try later.node.join(memory, at: later.now)
            try later.exchange()
            try later.advance(by: .seconds(1))
            #expect(later.dials.map { $0.address }.contains(local) == isWithinHost)
        }
    }

    @Test("A member that leaves is not dialled any more; one that restarts is dialled at once (R14.8-6, SPEC §14.10)")
    func entries() throws {
        let setting = try Setting()
        let duel = setting.duel
        try setting.tell(of: 3, at: [Self.address(1)], presence: 0)
        try duel.advance(by: .seconds(2))
        #expect(duel.dials.isEmpty)
        try setting.tell(of: 3, at: [Self.address(2)], instance: 2)
        try duel.advance(by: .seconds(1))
        #expect(duel.dials.map { $0.address } == [Self.address(2)])
        duel.node.failed(duel.dials[0].number, at: duel.now)
        try setting.tell(of: 3, at: [Self.address(3)], instance: 3)
        try duel.advance(by: .seconds(1))
        #expect(duel.dials.map { $0.address } == [2, 3].map(Self.address))
        try setting.tell(of: 3, at: [Self.address(3)], instance: 4, presence: 0)
        #expect(duel.cancelled == [duel.dials[1].number])
    }
}
