/// Which link's deadline comes first, without looking at all of them: a binary heap. A link whose deadline has changed stands
/// in it more than once; the entries that do not hold any more are passed over.
struct DeadlineQueue: Sendable {
    private struct Entry {
        let at: Instant
        let link: LinkNumber

        static func < (left: Entry, right: Entry) -> Bool {
            left.at != right.at ? left.at < right.at : left.link < right.link
        }
    }

    private var heap: [Entry] = []

    var count: Int { heap.count }

    /// The first of all entries.
    var first: (at: Instant, link: LinkNumber)? { heap.first.map { ($0.at, $0.link) } }

    mutating func append(_ at: Instant, _ link: LinkNumber) {
        heap.append(Entry(at: at, link: link))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var parent = 0
        while true {
            let (left, right) = (2 * parent + 1, 2 * parent + 2)
            var least = parent
            if left < heap.count, heap[left] < heap[least] { least = left }
            if right < heap.count, heap[right] < heap[least] { least = right }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    mutating func removeAll() { heap.removeAll(keepingCapacity: true) }
}
