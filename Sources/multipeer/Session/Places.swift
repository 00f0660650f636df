import MultipeerDriver

/// Lets a number of tasks work at a time. The others wait in their order.
struct Places: Sendable {
    private let free = AsyncQueue<Void>(watermarks: Watermarks(low: 0, high: .max))

    init(_ count: Int) {
        for _ in 0..<count { give() }
    }

    /// Waits for a place.
    func take() async { await free.next() }

    /// Gives a place back.
    func give() { free.push((), cost: 0) }
}
