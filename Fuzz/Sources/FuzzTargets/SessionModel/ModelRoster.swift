/// A roster, by SPEC §14.4 to the letter: all entries are ordered anew for each that comes.
struct ModelRoster {
    let charter: ModelCharter
    private(set) var entries: [[UInt8]: ModelEntry] = [:]
    /// R14.4-4.
    private var apart: [[UInt8]: ModelEntry] = [:]
    private var reported: Set<[UInt8]> = []

    static let capacity = 256

    init(_ charter: ModelCharter) { self.charter = charter }

    /// What an entry that came leads to.
    enum Outcome: Equatable {
        case kept, noRoom, known, older, outdated, invalid
    }

    /// R14.4-1 to R14.4-3.
    mutating func insert(_ entry: ModelEntry) -> (outcome: Outcome, isContradiction: Bool) {
        guard let held = entries[entry.member] else {
            if let held = apart[entry.member] {
                if held.encoded == entry.encoded { return (keep(entry), false) }
                if !ModelEntry.isLess(held, entry) { return (.outdated, false) }
            }
            guard entry.isValid(in: charter) else { return (.invalid, false) }
            return (keep(entry), false)
        }
        if held.encoded == entry.encoded { return (.known, false) }
        let isContradiction = held.contradicts(entry) && !reported.contains(entry.member)
        guard ModelEntry.isLess(held, entry) else {
            // The lesser one is looked at for a contradiction alone.
            guard isContradiction else { return (.older, false) }
            guard entry.isValid(in: charter) else { return (.invalid, false) }
            reported.insert(entry.member)
            return (.older, true)
        }
        guard entry.isValid(in: charter) else { return (.invalid, false) }
        let outcome = keep(entry)
        // No entry of that member is held any more: it may be forgotten, and reported or not.
        guard outcome == .kept, isContradiction else { return (outcome, false) }
        reported.insert(entry.member)
        return (.kept, true)
    }

    private mutating func keep(_ entry: ModelEntry) -> Outcome {
        apart[entry.member] = nil
        entries[entry.member] = entry
        let kept = Self.first(Self.capacity, of: Array(entries.values))
        if kept.count < entries.count {
            let stay = Set(kept.map(\.member))
            for (member, entry) in entries where !stay.contains(member) { apart[member] = entry }
            entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.member, $0) })
            let stayApart = Self.first(Self.capacity, of: Array(apart.values), leftFirst: true)
            apart = Dictionary(uniqueKeysWithValues: stayApart.map { ($0.member, $0) })
            reported = reported.filter { entries[$0] != nil }
        }
        return entries[entry.member] == nil ? .noRoom : .kept
    }

    /// R14.4-3. The turn of an entry is its place within its branch, by the same order.
    static func first(_ count: Int, of entries: [ModelEntry], leftFirst: Bool = false) -> [ModelEntry] {
        guard entries.count > count else { return entries }
        var turns = [Int](repeating: 0, count: entries.count)
        for (_, branch) in Dictionary(grouping: entries.indices, by: { entries[$0].branch }) {
            let ordered = branch.sorted { comes(entries[$0], 0, before: entries[$1], 0) }
            for (place, index) in ordered.enumerated() { turns[index] = place + 1 }
        }
        let ordered = entries.indices.sorted { one, other in
            if leftFirst, entries[one].presence != entries[other].presence { return entries[one].presence == 0 }
            return comes(entries[one], turns[one], before: entries[other], turns[other])
        }
        return ordered.prefix(count).map { entries[$0] }
    }

    private static func comes(_ one: ModelEntry, _ turn: Int, before other: ModelEntry, _ otherTurn: Int) -> Bool {
        if one.presence != other.presence { return one.presence == 1 }
        if turn != otherTurn { return turn < otherTurn }
        if one.chain.count != other.chain.count { return one.chain.count < other.chain.count }
        if one.instance != other.instance { return one.instance > other.instance }
        return one.member.lexicographicallyPrecedes(other.member)
    }

    /// §14.4.
    var digest: [UInt8] {
        let ordered = entries.values.sorted { $0.member.lexicographicallyPrecedes($1.member) }
        let count = [UInt8(ordered.count >> 8), UInt8(ordered.count & 0xFF)]
        return ModelBinding.sha256(
            Array("multipeer/1 roster".utf8) + [0] + charter.session + count + ordered.flatMap(\.hash))
    }
}
