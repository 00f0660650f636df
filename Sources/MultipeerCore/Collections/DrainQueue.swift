/// What waits to be taken, the first first. Many are appended, and then all are taken: its memory is used again, unless it was
/// much.
package struct DrainQueue<Element> {
    private var elements: [Element] = []
    private var head = 0

    package init() {}

    package var isEmpty: Bool { elements.isEmpty }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func next() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            head += 1
            if head == elements.count {
                elements.removeAll(keepingCapacity: elements.count < 64)
                head = 0
            }
        }
        return elements[head]
    }
}

extension DrainQueue: Sendable where Element: Sendable {}
