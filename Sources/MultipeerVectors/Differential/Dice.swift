internal import MultipeerTesting

/// The choices of one case: the same for the same seed and number, whatever ran before.
struct Dice {
    private var source: SeededRandomSource

    init(seed: UInt64, number: Int) {
        var first = SeededRandomSource(seed: seed)
        source = SeededRandomSource(seed: first.next() &+ UInt64(truncatingIfNeeded: number) &* 0xD134_2543_DE82_EF95)
    }

    /// A number below `bound`, which is positive.
    mutating func below(_ bound: Int) -> Int { source.next(below: bound) & Int.max % bound }

    /// Returns true once in `times` calls on average.
    mutating func once(in times: Int) -> Bool { below(times) == 0 }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: source.next()) }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

    /// One of the elements, of which there is at least one.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// A part of `0..<count`, mostly short; empty only if `count` is 0.
    mutating func range(in count: Int, atMost longest: Int = 16) -> Range<Int> {
        guard count > 0 else { return 0..<0 }
        let start = below(count)
        let length = 1 + below(min(count - start, once(in: 8) ? count : longest))
        return start..<min(count, start + length)
    }

    /// 1, less often 2, and so on.
    mutating func few(atMost most: Int = 6) -> Int {
        var count = 1
        while count < most, once(in: 2) { count += 1 }
        return count
    }
}
