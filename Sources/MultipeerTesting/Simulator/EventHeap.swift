import MultipeerCore

/// What will happen, the first first. What happens at one moment keeps the order in which it was planned, so that a run can
/// be played again.
struct EventHeap<Event> {
    private struct Entry {
        let at: Instant
        let number: UInt64
        let event: Event

        func precedes(_ other: Entry) -> Bool { at != other.at ? at < other.at : number < other.number }
    }

    private var heap: [Entry] = []
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }
    var nextTime: Instant? { heap.first?.at }

    mutating func append(_ event: Event, at time: Instant) {
        lastNumber += 1
        heap.append(Entry(at: time, number: lastNumber, event: event))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() -> (at: Instant, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return (first.at, first.event) }
        heap[0] = last
        var parent = 0
        while true {
            let (left, right) = (2 * parent + 1, 2 * parent + 2)
            var least = parent
            if left < heap.count, heap[left].precedes(heap[least]) { least = left }
            if right < heap.count, heap[right].precedes(heap[least]) { least = right }
            guard least != parent else { return (first.at, first.event) }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
