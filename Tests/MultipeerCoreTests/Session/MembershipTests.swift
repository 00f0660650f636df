import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("A member's part in its session, SPEC §14")
struct MembershipTests {
    static let start = KeepAliveTests.start

    private static func membership(
        _ sample: SampleSession, of seed: UInt64, addresses: [MemberAddress] = [], remembered: UInt64? = nil
    ) throws -> Membership {
        Membership(
            sample.charter, as: try Peers.identity(seed),
            shown: ShownMember(name: Array("Ben".utf8), addresses: addresses),
            crypto: Peers.crypto, clock: WallClock(milliseconds: 5_000, start: start), signals: SessionSignals(),
            remembered: remembered, at: start)
    }

    private static func events(of membership: Membership) -> [MembershipEvent] {
        var events: [MembershipEvent] = []
        while let event = membership.nextEvent() { events.append(event) }
        return events
    }

    @Test("The shorter chain is kept, of equal ones the older; an entry is signed with a valid one (SPEC §14.5)")
    func chains() throws {
        let sample = try SampleSession()
        let ben = try Self.membership(sample, of: 2)
        #expect(ben.chain == nil && !ben.isPresentMember)
        let (long, short, other) = (
            try sample.chain([3, 4, 2]), try sample.chain([3, 2]), try sample.chain([4, 2])
        )
        for (chain, expected) in [(long, long), (short, short), (other, short), (long, short)] {
            try ben.receive(Admit(chain: chain.admissions), at: Self.start)
            #expect(ben.chain == expected)
        }
        #expect(ben.own.newest?.entry.content.chain == short.admissions)
        #expect(ben.own.newest?.entry.content.sequence == 1 && ben.roster.count == 1)
    }

    @Test("ADMIT with a chain for another peer is a fault, and changes nothing (R14.5-1)")
    func wrongChain() throws {
        let sample = try SampleSession()
        let ben = try Self.membership(sample, of: 2)
        let chain = try sample.chain([3]).admissions
        let fault = cause { () throws(LinkFailureCause) in try ben.receive(Admit(chain: chain), at: Self.start) }
        #expect(fault == .violation(.entryInvalid) && ben.chain == nil)
    }

    @Test("An entry has room for 1,024 bytes: the worst addresses are left out (R14.3-1)")
    func longEntry() throws {
        let sample = try SampleSession()
        let addresses = (0..<9 as Range<UInt8>).map { DialBoundsTests.ipv6([0x20, 1, $0], [1]) }
        for (seeds, count) in [([2], 8), ([3, 4, 5, 6, 7, 8, 9, 2], 6)] as [([UInt64], Int)] {
            let ben = try Self.membership(sample, of: 2, addresses: addresses)
            try ben.take(try sample.chain(seeds), at: Self.start)
            let entry = try #require(ben.own.newest)
            #expect(entry.encoded.count <= RosterEntry.maximumLength)
            #expect(entry.entry.content.addresses == Array(addresses.prefix(count)))
            let decoded = try RosterEntry(encoded: entry.encoded.span)
            #expect(decoded == entry.entry)
        }
    }

    @Test("A later run restores state that verifies, and begins above the one before (R14.7-1)")
    func recalled() throws {
        let sample = try SampleSession()
        let (anna, cleo) = (try sample.entry([]), try sample.entry([3]))
        let forged = RosterEntry(cleo.entry.content, signature: [UInt8](repeating: 1, count: 64))
        let memory = SessionMemory(
            charter: sample.charter.charter, chain: try sample.chain([2]).admissions, instance: 9_000,
            entries: [anna.entry, forged])
        let ben = try Self.membership(sample, of: 2, remembered: memory.instance)
        try ben.recall(memory, at: Self.start)
        #expect(ben.isPresentMember && ben.roster.count == 2 && ben.roster[cleo.member] == nil)
        #expect(ben.own.newest?.entry.content.instance == 9_001)
        #expect(ben.memory.instance == 9_001 && ben.memory.chain == memory.chain)
    }

    @Test("No two of a member's entries have one number, and each is above the last (R14.3-4)")
    func numbers() throws {
        let sample = try SampleSession()
        let ben = try Self.membership(sample, of: 2)
        var (dice, now, entries) = (SeededRandomSource(seed: 9), Self.start, [VerifiedEntry]())
        try ben.take(try sample.chain([3, 4, 2]), at: now)
        for step in 0..<200 {
            now = now.advanced(by: .milliseconds(Int64(dice.next(below: 9_000))))
            switch dice.next(below: 5) {
            case 0: try ben.take(try sample.chain(step < 100 ? [3, 2] : [2]), at: now)
            case 1: try ben.become(ben.presence == .left ? .present : .left, at: now)
            case 2: try ben.show(ShownMember(name: Array("Ben \(step)".utf8), addresses: []), at: now)
            case 3:
                // An earlier run, or a twin, has said something.
                let instance = ben.own.instance + UInt64(dice.next(below: 3))
                _ = try ben.take(
                    try sample.entry([2], instance: instance, sequence: 9).entry, isFromThisHost: false, at: now)
            default: try ben.timeout(at: now)
            }
            for case .signed(let entry) in Self.events(of: ben) { entries.append(entry) }
        }
        let versions = entries.map { $0.version }
        #expect(versions.count > 50 && Set(versions.map(\.instance)).count > 5)
        for (older, newer) in zip(versions, versions.dropFirst()) {
            #expect((older.instance, older.sequence) < (newer.instance, newer.sequence))
        }
    }

    @Test("A member without a place says so, and returns by a new run, once in 600 s (SPEC §14.4)")
    func placeLost() throws {
        let sample = try SampleSession()
        let ben = try Self.membership(sample, of: 2)
        try ben.take(try sample.chain([2]), at: Self.start)
        _ = Self.events(of: ben)
        func fill(instance: UInt64, at now: Instant) throws -> (lost: Int, signed: Int) {
            for index in 0..<256 as Range<UInt64> {
                _ = try ben.take(
                    try sample.entry([3_000 + index], instance: instance).entry, isFromThisHost: false, at: now)
            }
            let events = Self.events(of: ben)
            return (
                events.count { if case .placeLost = $0 { true } else { false } },
                events.count { if case .signed = $0 { true } else { false } }
            )
        }
        // The new run has the time, and comes before the others again.
        let first = try fill(instance: 6_000, at: Self.start.advanced(by: .seconds(2)))
        #expect(first.lost == 1 && first.signed == 1 && ben.roster[ben.key] != nil)
        let second = try fill(instance: 9_000_000, at: Self.start.advanced(by: .seconds(3)))
        #expect(second.lost == 1 && second.signed == 0 && ben.roster[ben.key] == nil)
    }
}
