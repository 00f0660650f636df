internal import MultipeerScriptedPeer

/// Bytes that may be a counted vector (SPEC §3.3), found by trying, and a change that keeps its count right.
struct VectorMutation {
    private let bytes: [UInt8]
    /// Where the count is.
    private let head: Range<Int>
    private let body: Range<Int>
    /// The same of a vector around it, if it is to stay right as well.
    private let outer: (head: Range<Int>, count: Int)?

    /// nil where nothing looks like a vector.
    init?(_ bytes: [UInt8], _ dice: inout Dice) {
        guard !bytes.isEmpty else { return nil }
        var found: (Range<Int>, Range<Int>)?
        for _ in 0..<8 where found == nil { found = Self.vector(in: bytes, at: dice.below(bytes.count)) }
        guard let (head, body) = found else { return nil }
        self.bytes = bytes
        (self.head, self.body) = (head, body)
        let around = (0..<head.lowerBound).compactMap { Self.vector(in: bytes, at: $0) }
            .filter { $0.1.lowerBound <= head.lowerBound && $0.1.upperBound >= body.upperBound }
        outer = around.isEmpty || dice.once(in: 3) ? nil : { ($0.0, $0.1.count) }(dice.pick(around))
    }

    private static func vector(in bytes: [UInt8], at offset: Int) -> (Range<Int>, Range<Int>)? {
        guard let (value, length) = VarintMutations.read(bytes, at: offset) else { return nil }
        let start = offset + length
        guard value <= UInt64(bytes.count - start) else { return nil }
        return (offset..<start, start..<start + Int(value))
    }

    /// The bytes with other content of the vector.
    func result(_ dice: inout Dice, _ change: ([UInt8], inout Dice) -> [UInt8]) -> [UInt8] {
        let content = change(Array(bytes[body]), &dice)
        let count = WireBytes.varint(UInt64(content.count))
        var result = bytes
        result.replaceSubrange(head.lowerBound..<body.upperBound, with: count + content)
        if let outer {
            let grown = outer.count + result.count - bytes.count
            result.replaceSubrange(outer.head, with: WireBytes.varint(UInt64(max(0, grown))))
        }
        return result
    }
}
