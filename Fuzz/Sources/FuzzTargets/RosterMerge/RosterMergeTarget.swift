public import FuzzSupport
import MultipeerCrypto
import MultipeerSodium
import MultipeerVectors
import MultipeerWire

@testable import MultipeerCore

extension FuzzTarget {
    /// Entries come in any order, and as often as they like: the roster is that of a model of SPEC §14.4, and its digest is the
    /// same for every order. Rosters that have got different entries agree once each has given the other its own.
    public static let rosterMerge = FuzzTarget(
        name: "RosterMerge", maximumLength: 800, memory: MemoryBudget(base: 8_388_608, perByte: 4_096),
        minimumFeatures: 6_900,
        seeds: { _ in RosterMergeSeeds.all }, run: { try merge($0) })

    private static func merge(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let flags = choices.byte()
        let run = try RosterMerge(charter: SessionBuilder.charter(flags))
        let entries = RosterEntries(&choices, charter: run.charter)
        try run.play(entries.all, order: UInt64(flags), isRepeated: flags & 0x80 != 0)
    }
}

/// The same entries, to several rosters.
struct RosterMerge {
    let charter: ModelCharter
    private let session: SessionCharter

    init(charter: ModelCharter) throws {
        self.charter = charter
        session = try SessionCharter(
            try Charter(encoded: charter.encoded.span), hashing: FuzzCrypto.sodium.hashing)
    }

    private func emptyRoster() -> Roster {
        Roster(session, hashing: FuzzCrypto.sodium.hashing, verifier: InsecureSignatures())
    }

    func play(_ entries: [[UInt8]], order: UInt64, isRepeated: Bool) throws {
        var rosters: [Roster] = []
        // What gives way costs most, and two orders of many entries tell as much as three.
        for round in 0..<(entries.count > 64 ? 2 : 3) {
            var roster = emptyRoster()
            var model = ModelRoster(charter)
            let shuffled = Self.shuffle(entries, order &+ UInt64(round) &* 0x9E37_79B9)
            for bytes in isRepeated ? shuffled + shuffled : shuffled { try insert(bytes, &roster, &model) }
            try requireEqual(roster.digest, model.digest, "the digest of round \(round)")
            try requireEqual(roster.count, model.entries.count, "members")
            rosters.append(roster)
        }
        try agree(&rosters, isOrderless: Self.isOrderless(entries))
    }

    /// Where nobody gives way, or nothing is replaced, what came first does not count.
    private static func isOrderless(_ entries: [[UInt8]]) -> Bool {
        let members = Set(entries.map { $0.prefix(32) })
        return members.count <= ModelRoster.capacity || members.count == Set(entries).count
    }

    private func insert(_ bytes: [UInt8], _ roster: inout Roster, _ model: inout ModelRoster) throws {
        var reader = ModelReader(bytes)
        guard let decoded = try? reader.entry(), reader.rest.isEmpty else { return }
        let entry = try RosterEntry(encoded: bytes.span)
        let expected = model.insert(decoded)
        do {
            let outcome = try roster.insert(entry)
            try requireEqual(Self.named(outcome.insertion), expected.outcome, "what came of an entry")
            try requireEqual(outcome.isContradiction, expected.isContradiction, "whether a contradiction is told")
        } catch let cause as LinkFailureCause {
            try requireEqual(ModelEvent.name(of: cause), "entry_invalid", "why an entry is refused")
            try requireEqual(expected.outcome, .invalid, "an entry that is valid")
        }
    }

    private static func named(_ insertion: Roster.Insertion) -> ModelRoster.Outcome {
        switch insertion {
        case .kept: .kept
        case .noRoom: .noRoom
        case .known: .known
        case .older: .older
        case .outdated: .outdated
        }
    }

    /// All have one digest, at once or when each has had the entries of the others.
    private func agree(_ rosters: inout [Roster], isOrderless: Bool) throws {
        for _ in 0..<12 {
            if Set(rosters.map(\.digest)).count == 1 { return }
            try require(!isOrderless, "rosters that differ by the order in which entries came")
            for (index, other) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)]
            where max(index, other) < rosters.count {
                // What one lacks of the other is what SUMMARY and ROSTER carry (R14.6-5).
                let (lacking, _) = rosters[index].difference(to: rosters[other].summary)
                for entry in lacking { _ = try rosters[other].insert(entry.entry) }
            }
        }
        throw OracleFailure("rosters that never agree")
    }

    private static func shuffle(_ entries: [[UInt8]], _ seed: UInt64) -> [[UInt8]] {
        guard seed & 0xFF != 0 || seed > 0xFF else { return entries }
        var (entries, state) = (entries, seed | 1)
        for index in entries.indices.reversed() {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            entries.swapAt(index, Int(state >> 33) % (index + 1))
        }
        return entries
    }
}

/// A session's entries: founder, branches, newer ones, ones that leave, contradictions, and ones that do not verify.
struct RosterEntries {
    private(set) var all: [[UInt8]] = []

    init(_ choices: inout Choices, charter: ModelCharter) {
        let builder = SessionBuilder(charter: charter)
        var count = 0
        while !choices.isEmpty, all.count < 500 {
            let (byte, second) = (choices.byte(), choices.byte())
            let member = Int(second)
            switch byte & 7 {
            // One of a few members: again and again, with numbers that are greater, lesser or the same.
            case 0...3:
                let numbers = choices.byte()
                let name = byte & 0x80 == 0 ? [] : [0x61 + (byte >> 3 & 15)]
                all.append(
                    builder.entry(
                        of: member % 12, instance: UInt64(numbers >> 4), sequence: UInt64(numbers & 15),
                        presence: byte >> 6 & 1 ^ 1, name: name,
                        chain: builder.chain(to: member % 12, by: member % 3 == 0 ? [] : [member % 4 + 20])))
            // Many of one branch; enough that others give way only now and then, because that takes long.
            case 4, 5:
                guard count < 300 else { continue }
                let branch = Int(byte >> 3 & 7)
                for _ in 0..<(member < 0xF0 ? member & 15 : member) {
                    count += 1
                    let by = byte & 1 == 0 ? [20 + branch] : [30 + count % 5, 20 + branch]
                    all.append(
                        builder.entry(
                            of: 300 + count, instance: UInt64(count % 3), sequence: 0, presence: count % 7 == 0 ? 0 : 1,
                            chain: builder.chain(to: 300 + count, by: by)))
                }
            // One of the many, as it was or with another number.
            case 6:
                let number = 301 + (Int(choices.byte()) << 1 | member & 1)
                all.append(
                    builder.entry(
                        of: number, instance: UInt64(byte >> 3 & 3), sequence: UInt64(member & 3),
                        presence: byte >> 5 & 1,
                        chain: builder.chain(to: number, by: [20 + member % 8])))
            // Anything that is nearly an entry.
            default: all.append(builder.entry(&choices))
            }
        }
    }
}

/// Sessions to begin with.
enum RosterMergeSeeds {
    static let all: [[UInt8]] = [
        [0, 0, 0, 0x10, 0, 1, 0x10, 0, 2, 0x20], [1, 0x40, 1, 0x10, 0, 1, 0x20, 0x80, 1, 0x20],
        [0x83, 0x80, 5, 0x11, 0x88, 5, 0x11, 0x90, 5, 0x11, 0, 5, 0x12], [5, 4, 255, 0x0C, 10, 0, 0, 0x11],
        [9, 4, 200, 0x0D, 90, 0x15, 20, 0, 1, 0x33], [0x91, 5, 255, 0x0C, 60, 6, 5, 3, 0x26, 9, 9],
        [7, 7, 1, 0, 5, 0, 1, 0, 0, 0, 0xF3, 7, 1, 0, 5, 0, 1, 0, 0, 0, 0], [0, 0],
    ]
}
