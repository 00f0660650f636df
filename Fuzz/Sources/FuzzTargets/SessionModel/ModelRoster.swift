/// A roster, by SPEC §14.4 as it stands: all entries are ordered anew for each that comes.
struct ModelRoster {
    let charter: ModelCharter
    private(set) var entries: [[UInt8]: ModelEntry] = [:]
    private var reported: Set<[UInt8]> = []

    static let capacity = 256

    init(_ charter: ModelCharter) { self.charter = charter }

    /// What an entry that came leads to.
    enum Outcome: Equatable {
        case kept, noRoom, known, older, invalid
    }

    /// R14.4-1 to R14.4-3.
    mutating func insert(_ entry: ModelEntry) -> (outcome: Outcome, isContradiction: Bool) {
        guard let held = entries[entry.member] else {
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
        entries[entry.member] = entry
        let kept = Self.first(Self.capacity, of: Array(entries.values))
        if kept.count < entries.count {
            entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.member, $0) })
            reported = reported.filter { entries[$0] != nil }
        }
        return entries[entry.member] == nil ? .noRoom : .kept
    }

    /// R14.4-3. The turn of an entry is its place within its branch, by the same order.
    static func first(_ count: Int, of entries: [ModelEntry]) -> [ModelEntry] {
        guard entries.count > count else { return entries }
        var turns: [[UInt8]: Int] = [:]
        for (_, branch) in Dictionary(grouping: entries, by: \.branch) {
            for (place, entry) in branch.sorted(by: { comes($0, 0, before: $1, 0) }).enumerated() {
                turns[entry.member] = place + 1
            }
        }
        let ordered = entries.sorted { comes($0, turns[$0.member] ?? 0, before: $1, turns[$1.member] ?? 0) }
        return Array(ordered.prefix(count))
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
