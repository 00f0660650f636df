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

    @Test("The side with the lesser key begins, once, behind both own entries (R14.6-2)")
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

    @Test("Two rosters are equal after DIGEST, SUMMARY, ROSTER, WANT, ROSTER (R14.6-4 to R14.6-6)")
    func whole() throws {
        let sample = try SampleSession()
        var (anna, ben) = (sample.roster, sample.roster)
        try anna.take([try sample.entry([]), try sample.entry([2], instance: 5), try sample.entry([3])])
        try ben.take([try sample.entry([]), try sample.entry([2], instance: 6), try sample.entry([4])])
        var (one, two) = (DigestExchange(), DigestExchange())
        one.sentDigest()
        let answer = two.receive(DigestFrame(digest: anna.digest), roster: ben, at: Self.start)
        let summary = try #require(answer)
        let (rosters, want) = try one.receive(summary, roster: anna, at: Self.start)
        #expect(rosters.flatMap(\.entries).count == 1)
        let wanted = try #require(want)
        let members = [try Peers.key(2).rawBytes, try Peers.key(4).rawBytes]
        #expect(Set(wanted.members) == Set(members))
        for entry in rosters.flatMap(\.entries) { _ = try ben.insert(entry) }
        let back = try two.receive(wanted, roster: ben, at: Self.start)
        for entry in back.flatMap(\.entries) { _ = try anna.insert(entry) }
        #expect(anna.digest == ben.digest && anna.count == 4)
        // Equal rosters cost no answer.
        let silence = two.receive(
            DigestFrame(digest: ben.digest), roster: ben, at: Self.start.advanced(by: .seconds(60)))
        #expect(silence == nil)
    }

    @Test("SUMMARY and WANT that nobody asked for are faults (R14.5-4)")
    func unasked() throws {
        let roster = try SampleSession().roster
        var exchange = DigestExchange()
        func summaryFault() -> LinkFailureCause? {
            cause { () throws(LinkFailureCause) in
                _ = try exchange.receive(Summary(items: []), roster: roster, at: Self.start)
            }
        }
        func wantFault() -> LinkFailureCause? {
            cause { () throws(LinkFailureCause) in
                let want = Want(members: [[UInt8](repeating: 1, count: 32)])
                _ = try exchange.receive(want, roster: roster, at: Self.start)
            }
        }
        #expect(summaryFault() == unexpected(.summary) && wantFault() == unexpected(.want))
        exchange.sentDigest()
        #expect(summaryFault() == nil && summaryFault() == unexpected(.summary))
        _ = exchange.receive(DigestFrame(digest: [UInt8](repeating: 1, count: 32)), roster: roster, at: Self.start)
        #expect(wantFault() == nil && wantFault() == unexpected(.want))
    }

    @Test("A DIGEST is ignored for 10 s after one that was answered, and only then (R14.6-4)")
    func pause() throws {
        let roster = try SampleSession().roster
        var exchange = DigestExchange()
        let other = DigestFrame(digest: [UInt8](repeating: 1, count: 32))
        func answers(_ digest: DigestFrame, _ milliseconds: Int64) -> Bool {
            exchange.receive(digest, roster: roster, at: Self.start.advanced(by: .milliseconds(milliseconds))) != nil
        }
        let equal = DigestFrame(digest: roster.digest)
        #expect(!answers(equal, 0) && answers(other, 0))
        #expect(!answers(other, 1) && !answers(other, 9_999) && answers(other, 10_000))
        #expect(!answers(other, 19_999) && answers(other, 20_000))
    }

    @Test("512 entries go out within 60 s, 1,024 are taken (R14.6-8)")
    func rates() throws {
        let sample = try SampleSession()
        var exchange = DigestExchange()
        let entry = try sample.entry([2])
        let many = [VerifiedEntry](repeating: entry, count: 400)
        func sent(_ seconds: Int64) -> Int {
            let frames = exchange.rosters(of: many, at: Self.start.advanced(by: .seconds(seconds)))
            return frames.reduce(0) { $0 + $1.entries.count }
        }
        #expect([sent(0), sent(1), sent(59), sent(60), sent(61)] == [400, 112, 0, 400, 112])
        for _ in 0..<1_024 { try exchange.tookEntry(at: Self.start) }
        let late = Self.start.advanced(by: .milliseconds(59_999))
        let fault = cause { () throws(LinkFailureCause) in try exchange.tookEntry(at: late) }
        #expect(fault == .violation(.limitExceeded))
        try exchange.tookEntry(at: Self.start.advanced(by: .seconds(60)))
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
            by: try Peers.identity(2), in: sample.charter, hashing: Peers.crypto.hashing)
    }

    @Test("A run is above every one that is remembered, and counts its entries (R14.7-1)")
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

    @Test("A greater entry of oneself is exceeded, once in 10 s; the third time the app is told (R14.7-2)")
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

    @Test("An entry that a full roster dropped is renewed once in 600 s")
    func renewal() {
        var own = OwnEntry(milliseconds: 1_000)
        #expect(own.renews(milliseconds: 9_000, at: Self.start) == true && own.instance == 9_000)
        #expect(own.renews(milliseconds: 9_500, at: Self.start.advanced(by: .seconds(599))) == false)
        #expect(own.renews(milliseconds: 500, at: Self.start.advanced(by: .seconds(600))) == true)
        #expect(own.instance == 9_001)
    }
}
