internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `roster/full`, `roster/apart`, `roster/branches`: more than 256 members (R14.4-3, R14.4-4).
struct FullRosterFiles {
    let subject: SwiftSubject
    let session: Community
    private var samples: Samples { Samples(crypto: subject.crypto) }

    /// What differs from an entry with the least of everything.
    private struct Line {
        /// The number of the member.
        let number: Int
        var instance: UInt64 = 10
        var presence: UInt8 = 1
        /// The numbers of those that admit between it and the founder, its own first.
        var admitters: [Int] = []
    }

    private func entries(_ lines: [Line]) throws -> [[UInt8]] {
        try lines.map { line in
            let member = try member(line.number)
            let chain = try session.chain(of: member.key, try line.admitters.map(self.member))
            return try session.entry(
                member,
                Community.Content(instance: line.instance, presence: line.presence, name: [], chain: chain))
        }
    }

    private func member(_ number: Int) throws -> Community.Member { try session.member("of a full roster \(number)") }

    private func writer(_ name: String) -> CaseWriter {
        let cases = CaseWriter(
            "roster/" + name, topic: "roster-" + name, type: .roster, section: "14.4", subject: subject)
        cases.group()
        return cases
    }

    private func add(
        _ cases: CaseWriter, _ comment: String, _ lines: [Line], _ requirements: [String] = ["R14.4-3"]
    ) throws {
        let founder = try session.entry(session.founder, Community.Content(instance: 1, name: []))
        let entries = try entries(lines) + [founder]
        try cases.accept(
            comment, requirements, flags: ["ExceedsLimit"],
            ["charter": .hex(session.charter), "entries": .array(entries.map(JSONValue.hex))])
    }

    /// `count` members that the founder has admitted.
    private func direct(_ count: Int) -> [Line] { (0..<count).map { Line(number: $0) } }

    func write() throws -> CaseWriter {
        let cases = writer("full")
        var lines = direct(256)
        lines[100].presence = 0
        lines[100].instance = 99
        try add(cases, "257 entries: the one that has left goes", lines)
        lines = direct(254)
        lines += [Line(number: 254, admitters: [3]), Line(number: 255, instance: 9, admitters: [3])]
        try add(cases, "257 entries: the greatest turn in its branch goes", lines)
        lines = direct(254)
        lines += [
            Line(number: 254, instance: 11, admitters: [300, 3]), Line(number: 255, instance: 9, admitters: [4]),
        ]
        try add(cases, "257 entries: of equal turns the longest chain goes", lines)
        lines = direct(254)
        lines += [Line(number: 254, instance: 9, admitters: [3]), Line(number: 255, admitters: [4])]
        try add(cases, "257 entries: of equal chains the least instance goes", lines)
        try add(cases, "257 entries: of equal instances the greatest key goes", direct(256))
        return cases
    }

    /// Entries for which there was no room, and which are not forgotten (R14.4-4).
    func apart() throws -> CaseWriter {
        let cases = writer("apart")
        // With the founder, 258 members: one place is free again when its member leaves, and a second one.
        let apart = ["R14.4-3", "R14.4-4"]
        var lines = direct(257)
        lines[40].presence = 0
        lines[40].instance = 20
        try add(
            cases, "one that has left, and gave way, does not come back by its old entry", lines + [Line(number: 40)],
            apart)
        try add(
            cases, "one that has left, and gave way, comes back by a new entry",
            lines + [Line(number: 40, instance: 21)], apart)
        lines = direct(257)
        let late = Line(number: 300, instance: 9)
        let leaver = Line(number: 7, instance: 20, presence: 0)
        try add(
            cases, "an entry that gave way comes back when there is room again, and none that is older",
            lines + [late, leaver, Line(number: 8, instance: 20, presence: 0), Line(number: 300, instance: 8), late],
            apart)
        // Those that have left stay apart before those that are present.
        lines = direct(256)
        lines[3].presence = 0
        lines[3].instance = 20
        lines += (600..<900).map { Line(number: $0, instance: 5, admitters: [1]) }
        try add(
            cases, "hundreds that crowd the roster do not bring back one that has left", lines + [Line(number: 3)],
            apart)
        return cases
    }

    func branches() throws -> CaseWriter {
        let cases = writer("branches")
        // One member admits 249, and three others two each.
        var lines = [Line(number: 0, instance: 5)]
        lines += (1..<250).map { Line(number: $0, instance: UInt64($0) * 7 % 64, admitters: [0]) }
        for other in 0..<3 {
            let number = 250 + 3 * other
            lines += [
                Line(number: number), Line(number: number + 1, instance: 2, admitters: [number]),
                Line(number: number + 2, instance: 1, admitters: [number]),
            ]
        }
        try add(cases, "a branch of 250 against three of three: four of the large one go", lines)
        // One that outranks its branch in everything, and comes last.
        lines = [Line(number: 0)] + (1..<250).map { Line(number: $0, admitters: [0]) }
        lines += (250..<255).map { Line(number: $0, instance: 1, admitters: [300 + $0, 400 + $0]) }
        lines += [Line(number: 255, presence: 0), Line(number: 256, instance: 1, admitters: [255])]
        try add(cases, "branches whose first member is not in the roster, and one whose first member has left", lines)
        return cases
    }
}
