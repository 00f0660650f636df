/// What waits to be taken, the first first. Many are appended, and then all are taken: its memory is used again, unless it was
/// much.
package struct DrainQueue<Element> {
    /// What is taken leaves nil behind, until all is.
    private var elements: [Element?] = []
    private var head = 0

    package init() {}

    package var isEmpty: Bool { elements.isEmpty }

    package mutating func append(_ element: consuming Element) { elements.append(element) }

    package mutating func next() -> Element? {
        guard head < elements.count else { return nil }
        guard head < elements.count - 1 else { return takeLast() }
        defer { head += 1 }
        return elements[head].take()
    }

    private mutating func takeLast() -> Element? {
        let last = elements.removeLast()
        if head > 0 { elements.removeAll(keepingCapacity: head < 64) }
        head = 0
        return last
    }
}

extension DrainQueue: Sendable where Element: Sendable {}
