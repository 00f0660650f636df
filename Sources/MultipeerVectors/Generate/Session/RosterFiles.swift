internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `roster/merge`, `roster/full`: SPEC §14.4.
struct RosterFiles {
    let subject: SwiftSubject
    private let session: Community
    private let members: [Community.Member]
    private var samples: Samples { Samples(crypto: subject.crypto) }

    init(subject: SwiftSubject) throws {
        self.subject = subject
        let session = try Community(samples: Samples(crypto: subject.crypto))
        self.session = session
        members = try (0..<4).map { try session.member("of a roster \($0)") }
    }

    func all() throws -> [(name: String, file: VectorFile)] {
        let full = FullRosterFiles(subject: subject, session: session)
        return [try merges().file(), try full.write().file(), try full.apart().file(), try full.branches().file()]
    }

    private func inputs(_ entries: [[UInt8]]) -> JSONValue {
        ["charter": .hex(session.charter), "entries": .array(entries.map(JSONValue.hex))]
    }

    /// An entry of a member with a chain of one.
    private func entry(
        _ index: Int, instance: UInt64 = 10, sequence: UInt64 = 0, presence: UInt8 = 1, name: String = "A"
    ) throws -> [UInt8] {
        let member = members[index]
        return try session.entry(
            member,
            Community.Content(
                instance: instance, sequence: sequence, presence: presence, name: Array(name.utf8),
                chain: try session.chain(of: member.key, [])))
    }

    private func merges() throws -> CaseWriter {
        let cases = CaseWriter("roster/merge", topic: "roster-merge", type: .roster, section: "14.4", subject: subject)
        cases.group()
        func add(_ comment: String, _ entries: [[UInt8]]) throws {
            try cases.accept(comment, ["R14.4-1", "R14.4-2"], inputs(entries))
        }
        try add("an empty roster", [])
        try add("one entry", [try entry(0)])
        try add("the founder's entry", [try session.entry(session.founder, Community.Content(instance: 7))])
        try add("four entries: the digest is in the order of keys", try (0..<4).map { try entry($0) })
        try add("the same in another order", try [2, 0, 3, 1].map { try entry($0) })
        try add("a greater sequence", [try entry(0), try entry(0, sequence: 1)])
        try add("a lesser sequence behind a greater one", [try entry(0, sequence: 1), try entry(0)])
        try add(
            "a greater instance with a lesser sequence",
            [try entry(0, sequence: 900), try entry(0, instance: 11)])
        try add(
            "a lesser instance with a greater sequence",
            [try entry(0, instance: 11), try entry(0, instance: 10, sequence: 900)])
        try add("numbers are compared as numbers", [try entry(0, instance: 64), try entry(0, instance: 63)])
        try add("equal bytes twice are no contradiction", [try entry(0), try entry(0)])
        try add("left, which is the greater one", [try entry(0), try entry(0, sequence: 1, presence: 0)])
        try add(
            "present again, with a greater instance",
            [try entry(0, sequence: 1, presence: 0), try entry(0, instance: 11)])
        try contradictions(cases)
        try permutations(cases)
        for (comment, numbers) in [("9 and 10", (9, 10)), ("10 and 9", (10, 9)), ("99 and 100", (99, 100))]
            as [(String, (UInt64, UInt64))]
        {
            try add(
                "instances are compared as numbers, and not as text: \(comment)",
                [try entry(0, instance: numbers.0), try entry(0, instance: numbers.1)])
            try add(
                "sequences are compared as numbers, and not as text: \(comment)",
                [try entry(0, sequence: numbers.0), try entry(0, sequence: numbers.1)])
        }
        return cases
    }

    private func contradictions(_ cases: CaseWriter) throws {
        let names = ["A", "B", "C"]
        let entries = try names.map { try entry(0, name: $0) }
        let hash = samples.crypto.sha256
        let sorted = entries.sorted { hash($0).lexicographicallyPrecedes(hash($1)) }
        func add(_ comment: String, _ entries: [[UInt8]]) throws {
            try cases.accept(comment, ["R14.4-2"], flags: ["Contradiction"], inputs(entries))
        }
        try add("a contradiction, the greater hash last", [sorted[0], sorted[1]])
        try add("a contradiction, the greater hash first", [sorted[1], sorted[0]])
        try add("three that contradict each other: reported once", [sorted[1], sorted[0], sorted[2]])
        try add("a contradiction in the presence", [try entry(0), try entry(0, presence: 0)])
        try add(
            "a contradiction of each of two",
            [
                try entry(1, name: "B"), sorted[0], try entry(1, name: "C"), sorted[1],
            ])
        try add("a contradiction, and a greater entry behind it", [sorted[0], sorted[1], try entry(0, sequence: 1)])
        // The hash is over the signature, too: this one has to stay the lesser.
        let forged = (1...64).lazy.map { place in
            var changed = sorted[0]
            changed[changed.count - place] ^= 1
            return changed
        }.first { hash($0).lexicographicallyPrecedes(hash(sorted[1])) }
        guard let forged else { throw GeneratorFault.cannotBuild("no forged entry with a lesser hash") }
        try cases.reject(
            "entry_invalid", "BadSignature", "a contradicting lesser entry whose signature does not verify",
            ["R14.4-2", "R14.3-2"], inputs([sorted[1], forged]))
        try add(
            "the same once the member has been reported: it is dropped unseen", [sorted[1], sorted[2], forged])
        var older = try entry(1, name: "Z")
        older[older.count - 1] ^= 1
        try cases.accept(
            "an older entry whose signature does not verify is dropped unseen", ["R14.4-1"], flags: ["BadSignature"],
            inputs([try entry(1, sequence: 1), older]))
        var greater = try entry(1, sequence: 2)
        greater[greater.count - 1] ^= 1
        try cases.reject(
            "entry_invalid", "BadSignature", "a greater entry whose signature does not verify", ["R14.3-2"],
            inputs([try entry(1, sequence: 1), greater]))
    }

    /// Every order of four entries of two members gives one roster.
    private func permutations(_ cases: CaseWriter) throws {
        let entries = [
            try entry(0), try entry(0, sequence: 1), try entry(1), try entry(1, instance: 11, presence: 0),
        ]
        for order in Self.orders(of: [0, 1, 2, 3]) {
            let names = order.map(String.init).joined(separator: ", ")
            try cases.accept("the order \(names)", ["R14.4-1"], inputs(order.map { entries[$0] }))
        }
    }

    private static func orders(of values: [Int]) -> [[Int]] {
        guard values.count > 1 else { return [values] }
        return values.indices.flatMap { index in
            var rest = values
            let first = rest.remove(at: index)
            return orders(of: rest).map { [first] + $0 }
        }
    }
}
