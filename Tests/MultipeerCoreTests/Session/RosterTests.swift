import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("Entries and rosters, SPEC §14.3, §14.4")
struct RosterTests {
    @Test("A changed byte of an entry is found; nothing changes then (R14.3-2)")
    func forged() throws {
        let sample = try SampleSession()
        let entry = try sample.entry([2, 3], name: "Ben")
        var roster = sample.roster
        for place in entry.encoded.indices {
            var bytes = entry.encoded
            bytes[place] ^= 1
            guard let changed = try? RosterEntry(encoded: bytes.span) else { continue }
            let error = cause { () throws(LinkFailureCause) in _ = try roster.insert(changed) }
            #expect(error == .violation(.entryInvalid), "byte \(place)")
        }
        #expect(roster.count == 0)
        #expect(try roster.insert(entry.entry).insertion == .kept(entry, replacing: nil))
        let elsewhere = try SampleSession(nonce: 9).entry([2, 3], instance: 2_000)
        let error = cause { () throws(LinkFailureCause) in _ = try roster.insert(elsewhere.entry) }
        #expect(error == .violation(.entryInvalid) && roster.count == 1)
    }

    @Test("The greatest entry wins: by instance, by sequence, by hash; the others cost no signature (R14.4-1)")
    func order() throws {
        let sample = try SampleSession()
        var roster = sample.roster
        let steps = [(1, 5), (1, 6), (2, 0), (2, 1)]
        var last: VerifiedEntry?
        for (instance, sequence) in steps {
            let entry = try sample.entry([2], instance: UInt64(instance), sequence: UInt64(sequence))
            #expect(try roster.insert(entry.entry).insertion == .kept(entry, replacing: last))
            last = entry
        }
        let newest = try #require(last)
        let before = roster.verifications
        #expect(try roster.insert(newest.entry).insertion == .known)
        for (instance, sequence) in steps.dropLast() {
            let older = try sample.entry([2], instance: UInt64(instance), sequence: UInt64(sequence), name: "x")
            let outcome = try roster.insert(older.entry)
            #expect(outcome.insertion == .older(newest: newest) && !outcome.isContradiction)
        }
        #expect(roster.verifications == before)
    }

    @Test("A contradiction is reported once, in either order; the greater hash wins (R14.4-2)")
    func contradiction() throws {
        let sample = try SampleSession()
        let entries = try ["a", "b", "c"].map { try sample.entry([2], name: $0) }
            .sorted { $0.version < $1.version }
        for arrival in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0], [0, 2, 1], [2, 0, 1]] {
            var roster = sample.roster
            let reports = try arrival.map { try roster.insert(entries[$0].entry).isContradiction }
            #expect(reports == [false, true, false])
            #expect(roster[entries[2].member] == entries[2])
        }
        // A lesser one that does not verify is no contradiction, and the neighbour's fault.
        var roster = sample.roster
        try roster.take([entries[2]])
        let forged = RosterEntry(entries[0].entry.content, signature: [UInt8](repeating: 1, count: 64))
        let error = cause { () throws(LinkFailureCause) in _ = try roster.insert(forged) }
        #expect(error == .violation(.entryInvalid))
    }

    @Test("Any order of five entries gives one digest, and the digest shows every difference (SPEC §14.4)")
    func digests() throws {
        let sample = try SampleSession()
        let entries = try [[], [2], [3], [2, 4], [3, 5]].map { try sample.entry($0) }
        var digests: Set<[UInt8]> = []
        for order in permutations([0, 1, 2, 3, 4]) {
            var roster = sample.roster
            try roster.take(order.map { entries[$0] })
            digests.insert(roster.digest)
        }
        #expect(digests.count == 1)
        for left in entries.indices {
            var roster = sample.roster
            try roster.take(entries.enumerated().filter { $0.offset != left }.map(\.element))
            #expect(!digests.contains(roster.digest))
        }
        // Written out: label, session, count, hashes in the order of keys.
        var roster = sample.roster
        try roster.take(entries)
        let bytes =
            Array("multipeer/1 roster".utf8) + [0] + sample.charter.id.rawBytes + [0, 5]
            + entries.sorted { $0.member < $1.member }.flatMap(\.hash)
        let nothing: [UInt8] = []
        #expect(roster.digest == Peers.crypto.hashing.hash(bytes.span, nothing.span).rawBytes)
        let empty = sample.roster.digest
        #expect(empty.count == 32 && !digests.contains(empty))
    }

    @Test("A full roster keeps present before left, short chains, great instances, lesser keys (R14.4-3)")
    func capacity() throws {
        let sample = try SampleSession()
        var roster = sample.roster
        let members = try (0..<255).map { try sample.entry([2_000 + UInt64($0)], instance: 500) }
        try roster.take([try sample.entry([])] + members)
        #expect(roster.count == 256)
        // One that has left has no room, nor has one with a longer chain, or of a lesser instance.
        let left = try sample.entry([10], presence: .left)
        #expect(try roster.insert(left.entry).insertion == .noRoom(left))
        let far = try sample.entry([2_000, 11], instance: 9_000)
        #expect(try roster.insert(far.entry).insertion == .noRoom(far))
        let old = try sample.entry([12], instance: 499)
        #expect(try roster.insert(old.entry).insertion == .noRoom(old))
        // One of a greater instance takes the place of the greatest key.
        let new = try sample.entry([13], instance: 501)
        let outcome = try roster.insert(new.entry)
        #expect(outcome.insertion == .kept(new, replacing: nil))
        let greatest = try #require(members.max { $0.member < $1.member })
        #expect(outcome.dropped == [greatest])
        // A member that leaves gives way to the next one.
        let gone = try sample.entry([2_000], instance: 500, sequence: 1, presence: .left)
        let isThere = roster[gone.member] != nil
        let leaving = try roster.insert(gone.entry)
        if isThere {
            #expect(roster.count == 256)
            let next = try sample.entry([14], instance: 1)
            let came = try roster.insert(next.entry)
            #expect(came.insertion == .kept(next, replacing: nil) && came.dropped == [gone])
        } else {
            #expect(leaving.insertion == .noRoom(gone))
        }
    }

    @Test("A member that admits many competes with those that it has admitted (R14.4-3)")
    func branches() throws {
        let sample = try SampleSession()
        var (honest, crowd) = ([try sample.entry([])], [VerifiedEntry]())
        for admitter in 101...120 as ClosedRange<UInt64> {
            honest.append(try sample.entry([admitter], instance: 1))
            guard admitter <= 110 else { continue }
            for index in 0..<3 as Range<UInt64> {
                honest.append(try sample.entry([admitter, 1_000 + 10 * admitter + index], instance: 1))
            }
        }
        for index in 0..<255 as Range<UInt64> {
            crowd.append(try sample.entry([120, 5_000 + index], instance: VarInt.maximum - 1))
        }
        for order in [crowd + honest, honest + crowd] {
            var roster = sample.roster
            try roster.take(order)
            #expect(roster.count == 256)
            #expect(honest.allSatisfy { roster[$0.member] == $0 })
        }
    }

    @Test("The contents of a full roster do not depend on the order of arrival")
    func sameWhenFull() throws {
        let sample = try SampleSession()
        var dice = SplitMix(seed: 3)
        var entries: [VerifiedEntry] = []
        for index in 0..<300 as Range<UInt64> {
            let seeds: [UInt64] = index % 3 == 0 ? [3_000, 4_000 + index] : [4_000 + index]
            let presence: RosterEntry.Presence = index % 5 == 0 ? .left : .present
            entries.append(try sample.entry(seeds, instance: 1 + index % 7, presence: presence))
        }
        var digests: Set<[UInt8]> = []
        for _ in 0..<3 {
            var (roster, rest) = (sample.roster, entries)
            while !rest.isEmpty { _ = try roster.insert(rest.remove(at: dice.below(rest.count)).entry) }
            #expect(roster.count == 256)
            digests.insert(roster.digest)
        }
        #expect(digests.count == 1)
    }

    @Test("1,024 entries cost at most nine signatures each, and none the second time (SPEC §19)")
    func cost() throws {
        let sample = try SampleSession()
        var roster = sample.roster
        var entries: [VerifiedEntry] = []
        for index in 0..<1_024 as Range<UInt64> {
            entries.append(try sample.entry([2, 3, 4, 5, 6, 7, 8, 5_000 + index % 200], sequence: index / 200))
        }
        try roster.take(entries)
        // One for each entry, and one for each admission that was not known.
        #expect(roster.verifications == 1_024 + 7 + 200)
        let before = roster.verifications
        try roster.take(entries)
        #expect(roster.verifications == before)
    }

    @Test("10,000 random merges of 20 rosters converge")
    func convergence() throws {
        let sample = try SampleSession()
        var dice = SplitMix(seed: 11)
        var entries: [VerifiedEntry] = []
        for index in 0..<40 as Range<UInt64> {
            let presence: RosterEntry.Presence = index % 4 == 0 ? .left : .present
            entries.append(
                try sample.entry([100 + index % 13], instance: 1 + index / 13, presence: presence, name: "\(index)"))
        }
        var rosters = [Roster](repeating: sample.roster, count: 20)
        for (index, entry) in entries.enumerated() { _ = try rosters[index % 20].insert(entry.entry) }
        for _ in 0..<10_000 {
            let (from, to) = (dice.below(20), dice.below(20))
            let (lacking, wanted) = rosters[from].difference(to: rosters[to].summary)
            try rosters[to].take(lacking)
            if !wanted.isEmpty { try rosters[from].take(rosters[to].entries(wantedBy: Want(members: wanted))) }
            #expect(rosters[from].digest == rosters[to].digest)
        }
        #expect(Set(rosters.map(\.digest)).count == 1)
        #expect(rosters[0].count == 13)
    }
}

private func permutations(_ items: [Int]) -> [[Int]] {
    guard let first = items.first else { return [[]] }
    return permutations(Array(items.dropFirst())).flatMap { rest in
        (0...rest.count).map { index in
            var next = rest
            next.insert(first, at: index)
            return next
        }
    }
}
