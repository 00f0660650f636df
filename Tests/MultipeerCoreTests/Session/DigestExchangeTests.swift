import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Comparing rosters, SPEC §14.6")
struct DigestExchangeTests {
    static let start = KeepAliveTests.start

    @Test("The peer with the lesser key begins, once, after both own entries (R14.6-2)")
    func beginning() {
        for entriesFirst in [true, false] {
            var exchange = DigestExchange()
            #expect(exchange.beginsNow(hasLesserKey: true) == false)
            entriesFirst ? exchange.sentOwnEntry() : exchange.tookNeighboursOwnEntry()
            #expect(exchange.beginsNow(hasLesserKey: true) == false)
            entriesFirst ? exchange.tookNeighboursOwnEntry() : exchange.sentOwnEntry()
            #expect(exchange.beginsNow(hasLesserKey: false) == false)
            #expect(exchange.beginsNow(hasLesserKey: true) == true)
            #expect(exchange.beginsNow(hasLesserKey: true) == false)
            #expect(exchange.isNeighbour)
        }
    }

    @Test("Two rosters are equal after DIGEST, SUMMARY, ROSTER, WANT, ROSTER (R14.6-4, R14.6-5, R14.6-6)")
    func whole() throws {
        let sample = try SampleSession()
        var (anna, ben) = (sample.roster, sample.roster)
        try anna.take([try sample.entry([]), try sample.entry([2], instance: 5), try sample.entry([3])])
        try ben.take([try sample.entry([]), try sample.entry([2], instance: 6), try sample.entry([4])])
        var (one, two) = (Self.neighbours(), Self.neighbours())
        let owner = try Peers.key(1)
        one.sentDigest()
        let answer = try two.receive(DigestFrame(digest: anna.digest), roster: &ben, at: Self.start)
        let summary = try #require(answer)
        let (rosters, want) = try one.receive(summary, roster: anna, owner: owner, at: Self.start)
        #expect(rosters.flatMap(\.entries).count == 1)
        let wanted = try #require(want)
        let members = [try Peers.key(2).rawBytes, try Peers.key(4).rawBytes]
        #expect(Set(wanted.members) == Set(members))
        for entry in rosters.flatMap(\.entries) { _ = try ben.insert(entry) }
        let back = try two.receive(wanted, roster: ben, owner: owner, at: Self.start)
        for entry in back.flatMap(\.entries) { _ = try anna.insert(entry) }
        #expect(anna.digest == ben.digest && anna.count == 4)
        // Equal rosters cost no answer.
        let silence = try two.receive(
            DigestFrame(digest: ben.digest), roster: &ben, at: Self.start.advanced(by: .seconds(60)))
        #expect(silence == nil)
    }

    /// Between two whose own entries have come.
    static func neighbours() -> DigestExchange {
        var exchange = DigestExchange()
        exchange.tookNeighboursOwnEntry()
        return exchange
    }

    private static let foreign = DigestFrame(digest: [UInt8](repeating: 1, count: 32))

    /// What is wrong with DIGEST, SUMMARY and WANT, one after the other.
    private static func faults(of exchange: inout DigestExchange, _ sample: SampleSession) throws -> [LinkFailureCause?]
    {
        var roster = sample.roster
        let (owner, want) = (sample.charter.founder, Want(members: [[UInt8](repeating: 1, count: 32)]))
        var faults: [LinkFailureCause?] = []
        do throws(LinkFailureCause) {
            _ = try exchange.receive(Self.foreign, roster: &roster, at: Self.start)
            faults.append(nil)
        } catch { faults.append(error) }
        do throws(LinkFailureCause) {
            _ = try exchange.receive(Summary(items: []), roster: roster, owner: owner, at: Self.start)
            faults.append(nil)
        } catch { faults.append(error) }
        do throws(LinkFailureCause) {
            _ = try exchange.receive(want, roster: roster, owner: owner, at: Self.start)
            faults.append(nil)
        } catch { faults.append(error) }
        return faults
    }

    @Test("Unrequested SUMMARY and WANT are faults, and all three before the own entry (R14.5-4)")
    func unasked() throws {
        let sample = try SampleSession()
        var exchange = DigestExchange()
        exchange.sentDigest()
        #expect(
            try Self.faults(of: &exchange, sample) == [unexpected(.digest), unexpected(.summary), unexpected(.want)])
        exchange = Self.neighbours()
        // DIGEST is answered with SUMMARY, so that one WANT may come.
        #expect(try Self.faults(of: &exchange, sample) == [nil, unexpected(.summary), nil])
        #expect(try Self.faults(of: &exchange, sample) == [nil, unexpected(.summary), unexpected(.want)])
        // Two DIGESTs can be under way, and each can be answered.
        exchange.sentDigest()
        exchange.sentDigest()
        for expected in [nil, nil, unexpected(.summary)] {
            #expect(try Self.faults(of: &exchange, sample)[1] == expected)
        }
    }

    @Test("A DIGEST is ignored for 10 s after one that was answered, and only then (R14.6-4)")
    func pause() throws {
        var roster = try SampleSession().roster
        var exchange = Self.neighbours()
        let other = Self.foreign
        func answers(_ digest: DigestFrame, _ milliseconds: Int64) throws -> Bool {
            let time = Self.start.advanced(by: .milliseconds(milliseconds))
            return try exchange.receive(digest, roster: &roster, at: time) != nil
        }
        let equal = DigestFrame(digest: roster.digest)
        #expect(try !answers(equal, 0) && answers(other, 0))
        #expect(try !answers(other, 1) && !answers(other, 9_999) && answers(other, 10_000))
        #expect(try !answers(other, 19_999) && answers(other, 20_000))
    }

    @Test("512 entries of others are sent within 60 s (R14.6-8)")
    func rates() throws {
        let sample = try SampleSession()
        var exchange = DigestExchange()
        let entry = try sample.entry([2])
        let many = [VerifiedEntry](repeating: entry, count: 400)
        let owner = try Peers.key(1)
        func sent(_ seconds: Int64, by owner: IdentityKey) -> Int {
            let frames = exchange.rosters(of: many, owner: owner, at: Self.start.advanced(by: .seconds(seconds)))
            return frames.reduce(0) { $0 + $1.entries.count }
        }
        #expect([0, 1, 59, 60, 61].map { sent($0, by: owner) } == [400, 112, 0, 400, 112])
        // The own entry is no entry of others.
        #expect(sent(61, by: entry.member) == 400)
    }

    @Test("Entries are limited by neighbour, by branch and in total (R14.6-8)")
    func budget() throws {
        var budget = EntryBudget()
        func judged(_ count: Int, of number: UInt64, branch: UInt64?, isOwn: Bool = false, after: Duration = .zero)
            throws -> Int
        {
            let (key, branch) = (try Peers.key(number), try branch.map { try Peers.key($0) })
            return (0..<count).count { _ in
                budget.take(from: key, of: branch, isOwn: isOwn, at: Self.start.advanced(by: after))
            }
        }
        #expect(try judged(2_000, of: 1, branch: 1) == 1_024)
        // Others of the branch have the rest of it, and own entries beside it.
        for other in 2...3 as ClosedRange<UInt64> { #expect(try judged(1_025, of: other, branch: 1) == 1_024) }
        #expect(try judged(1_023, of: 4, branch: 1) == 1_023)
        #expect(try judged(9, of: 5, branch: 1) == 1 && judged(9, of: 5, branch: 1, isOwn: true) == 9)
        // Another branch is not concerned, and neither are those that have no entry, until the session's is used up.
        #expect(try judged(5, of: 6, branch: nil) == 5 && judged(1_000, of: 7, branch: 7) == 1_000)
        for other in 8...12 as ClosedRange<UInt64> { _ = try judged(1_024, of: other, branch: other) }
        #expect(try judged(1, of: 13, branch: 13) == 0)
        #expect(try judged(1, of: 1, branch: 1, after: .milliseconds(59_999)) == 0)
        #expect(try judged(1, of: 1, branch: 1, after: .seconds(60)) == 1)
    }

    @Test("Entries are divided over frames that are not too long")
    func frames() throws {
        let sample = try SampleSession()
        let entries = try (0..<130).map { try sample.entry([2, 3, 4, 5, 6, 7, 8, 600 + UInt64($0)]) }
            .sorted { $0.member < $1.member }
        let frames = RosterFrame.frames(for: entries)
        #expect(frames.flatMap(\.entries) == entries.map(\.entry) && frames.count > 1)
        for frame in frames {
            let payload = Array(frame.encoded().dropFirst(5))
            let decoded = try RosterFrame(payload: payload.span)
            #expect(decoded == frame && payload.count <= 65_511)
        }
        #expect(RosterFrame.frames(for: []).isEmpty)
    }
}

@Suite("Instances, SPEC §14.7")
struct OwnEntryTests {
    static let start = KeepAliveTests.start

    private static func sign(_ own: inout OwnEntry, _ sample: SampleSession) throws -> VerifiedEntry {
        try own.sign(
            RosterEntry.Content(member: [], instance: 0, sequence: 0, chain: try sample.chain([2]).admissions),
            by: try Peers.identity(2), in: sample.charter, hashing: Peers.crypto.hashing, at: start)
    }

    @Test("A run is above every remembered one, and counts its entries (R14.7-1)")
    func runs() throws {
        let sample = try SampleSession()
        #expect(OwnEntry(milliseconds: 5_000).instance == 5_000)
        #expect(OwnEntry(milliseconds: 5_000, remembered: 4_999).instance == 5_000)
        #expect(OwnEntry(milliseconds: 5_000, remembered: 5_000).instance == 5_001)
        #expect(OwnEntry(milliseconds: 5_000, remembered: 9_000).instance == 9_001)
        #expect(OwnEntry(milliseconds: 0, remembered: VarInt.maximum).instance == VarInt.maximum)
        var own = OwnEntry(milliseconds: 5_000)
        var roster = sample.roster
        for sequence in 0..<3 as Range<UInt64> {
            let entry = try Self.sign(&own, sample)
            #expect(entry.entry.content.sequence == sequence && entry.entry.content.instance == 5_000)
            let before = roster[entry.member]
            #expect(try roster.insert(entry.entry).insertion == .kept(entry, replacing: before))
        }
        let member = try Peers.key(2)
        #expect(roster[member] == own.newest)
    }

    @Test("A greater entry of the local key is exceeded, once in 10 s; the third time the app is notified (R14.7-2)")
    func answers() throws {
        let sample = try SampleSession()
        var own = OwnEntry(milliseconds: 1_000)
        _ = try Self.sign(&own, sample)
        func at(_ milliseconds: Int64) -> Instant { Self.start.advanced(by: .milliseconds(milliseconds)) }
        let older = try sample.entry([2], instance: 900)
        #expect(own.receive(older, at: at(0)) == OwnEntry.Answer())
        let newest = try #require(own.newest)
        #expect(own.receive(newest, at: at(0)) == OwnEntry.Answer())
        // Greater.
        let greater = try sample.entry([2], instance: 5_000)
        #expect(own.receive(greater, at: at(0)) == OwnEntry.Answer(signsNow: true))
        #expect(own.instance == 5_001)
        #expect(try Self.sign(&own, sample).entry.content.sequence == 0)
        // Too soon: it waits.
        let early = try sample.entry([2], instance: 6_000)
        #expect(own.receive(early, at: at(4_000)) == OwnEntry.Answer())
        #expect(own.deadline == at(10_000) && own.timeout(at: at(9_999)) == OwnEntry.Answer())
        #expect(own.timeout(at: at(10_000)) == OwnEntry.Answer(signsNow: true) && own.instance == 6_001)
        #expect(own.deadline == nil)
        _ = try Self.sign(&own, sample)
        // A contradiction, by the other program with the same identity.
        let twin = try sample.entry([2], instance: 6_001, name: "twin")
        #expect(own.receive(twin, at: at(20_000)) == OwnEntry.Answer(signsNow: true, isSuspicious: true))
        #expect(own.instance == 6_002)
        _ = try Self.sign(&own, sample)
        // Nothing is above the greatest number.
        let last = try sample.entry([2], instance: VarInt.maximum)
        #expect(own.receive(last, at: at(90_000)) == OwnEntry.Answer(isSuspicious: true) && own.instance == 6_002)
    }

    @Test("Before the first entry nothing is contradicted; it begins above received ones (R14.7-1)")
    func before() throws {
        let sample = try SampleSession()
        var own = OwnEntry(milliseconds: 1_000)
        let lesser = try sample.entry([2], instance: 900)
        #expect(own.receive(lesser, at: Self.start) == OwnEntry.Answer() && own.instance == 1_000)
        let greater = try sample.entry([2], instance: 7_000)
        #expect(own.receive(greater, at: Self.start) == OwnEntry.Answer() && own.instance == 7_001)
    }

    @Test("An answer that had to wait is dropped once it is not needed any more (R14.7-2)")
    func needless() throws {
        let sample = try SampleSession()
        var own = OwnEntry(milliseconds: 1_000)
        _ = try Self.sign(&own, sample)
        let first = try sample.entry([2], instance: 2_000)
        #expect(own.receive(first, at: Self.start) == OwnEntry.Answer(signsNow: true))
        _ = try Self.sign(&own, sample)
        let twin = try sample.entry([2], instance: 2_001, name: "twin")
        #expect(own.receive(twin, at: Self.start) == OwnEntry.Answer() && own.deadline != nil)
        // Something else has led to a greater one meanwhile.
        #expect(own.renews(milliseconds: 9_000, at: Self.start) == true)
        _ = try Self.sign(&own, sample)
        #expect(own.timeout(at: Self.start.advanced(by: .seconds(10))) == OwnEntry.Answer())
    }

    @Test("After 16 entries in 60 s the app's changes wait (R14.6-8)")
    func rate() throws {
        let sample = try SampleSession()
        var own = OwnEntry(milliseconds: 1_000)
        for _ in 0..<16 {
            #expect(own.nextChange(at: Self.start) == nil)
            _ = try Self.sign(&own, sample)
        }
        #expect(own.nextChange(at: Self.start) == Self.start.advanced(by: .seconds(60)))
        #expect(own.nextChange(at: Self.start.advanced(by: .seconds(60))) == nil)
    }

    @Test("An entry that a full roster dropped is renewed once in 600 s")
    func renewal() {
        var own = OwnEntry(milliseconds: 1_000)
        #expect(own.renews(milliseconds: 9_000, at: Self.start) == true && own.instance == 9_000)
        #expect(own.renews(milliseconds: 9_500, at: Self.start.advanced(by: .seconds(599))) == false)
        #expect(own.renews(milliseconds: 500, at: Self.start.advanced(by: .seconds(600))) == true)
        #expect(own.instance == 9_001)
    }
}
