import MultipeerCore

/// What will happen, the first first. What happens at one moment keeps the order in which it was planned, so that a run can
/// be played again.
struct EventHeap<Event> {
    private struct Entry: Comparable {
        let at: Instant
        let number: UInt64
        let event: Event

        static func < (left: Entry, right: Entry) -> Bool {
            left.at != right.at ? left.at < right.at : left.number < right.number
        }

        // Each has a number of its own.
        static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
    }

    private var heap = MinimumHeap<Entry>()
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }
    var nextTime: Instant? { heap.first?.at }

    mutating func append(_ event: Event, at time: Instant) {
        lastNumber += 1
        heap.insert(Entry(at: time, number: lastNumber, event: event))
    }

    mutating func removeFirst() -> (at: Instant, event: Event)? { heap.removeFirst().map { ($0.at, $0.event) } }
}
