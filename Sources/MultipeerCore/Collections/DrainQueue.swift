/// What waits to be taken, the first first. Mostly one element is appended and then taken, so the first has a place of its own, which
/// needs no memory on the heap (docs/decisions/0027). That of the others is used again, unless it was much.
package struct DrainQueue<Element> {
    /// Nil only if nothing waits, or between ``takeFirst()`` and what follows it.
    package private(set) var first: Element?
    /// Those after it. What has moved up leaves nil.
    private var others: [Element?] = []
    private var head = 0

    package init() {}

    package var isEmpty: Bool { first == nil }
    package var count: Int { first == nil ? 0 : 1 + others.count - head }

    package mutating func append(_ element: consuming Element) {
        if first == nil {
            first = element
        } else {
            others.append(element)
        }
    }

    package mutating func next() -> Element? {
        let taken = takeFirst()
        moveUp()
        return taken
    }

    /// Takes the first out. ``putBack(_:)`` or ``moveUp()`` has to follow.
    package mutating func takeFirst() -> Element? { first.take() }

    /// The element that was taken out is the first again.
    package mutating func putBack(_ element: consuming Element) { first = element }

    /// The element that was taken out has left for good.
    package mutating func moveUp() {
        if !others.isEmpty { moveUpOthers() }
    }

    /// Takes out the first element that is meant.
    package mutating func remove(where isMeant: (Element) -> Bool) -> Element? {
        if let first, isMeant(first) { return next() }
        guard let index = others.indices.dropFirst(head).first(where: { others[$0].map(isMeant) ?? false }) else {
            return nil
        }
        defer { compact() }
        return others.remove(at: index)
    }

    /// Whether an element is meant.
    package func contains(where isMeant: (Element) -> Bool) -> Bool {
        if let first, isMeant(first) { return true }
        return others.dropFirst(head).contains { $0.map(isMeant) ?? false }
    }

    @inline(never)  // rare: docs/decisions/0025
    private mutating func moveUpOthers() {
        first = others[head].take()
        head += 1
        compact()
    }

    /// How many elements after the first there is memory for.
    var keptCapacity: Int { others.capacity }

    private mutating func compact() {
        if head == others.count {
            others.removeAll(keepingCapacity: others.capacity <= 64)
            head = 0
        } else if head > 32, head * 2 > others.count {
            others.removeFirst(head)
            head = 0
        }
    }
}

extension DrainQueue: Sendable where Element: Sendable {}
