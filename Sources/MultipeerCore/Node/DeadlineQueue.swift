/// Which link's deadline comes first, without looking at all of them. A link whose deadline has changed is in it more
/// than once; the entries that do not hold any more are passed over.
struct DeadlineQueue: Sendable {
    private struct Entry: Comparable {
        let at: Instant
        let link: LinkNumber

        static func < (left: Entry, right: Entry) -> Bool {
            left.at != right.at ? left.at < right.at : left.link < right.link
        }
    }

    private var heap = MinimumHeap<Entry>()

    var count: Int { heap.count }

    /// The first of all entries.
    var first: (at: Instant, link: LinkNumber)? { heap.first.map { ($0.at, $0.link) } }

    mutating func append(_ at: Instant, _ link: LinkNumber) { heap.insert(Entry(at: at, link: link)) }

    mutating func removeFirst() { heap.removeFirst() }

    mutating func removeAll() { heap.removeAll() }
}
