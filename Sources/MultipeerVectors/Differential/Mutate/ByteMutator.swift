/// Changes byte strings as peers, proxies and attackers do: without knowing what they are, and with varints and counted
/// vectors in mind.
struct ByteMutator {
    /// Byte strings to splice from.
    let pieces: [[UInt8]]
    /// No result is longer, unless the input was.
    let limit: Int

    private static let interesting: [UInt8] = [
        0x00, 0x01, 0x02, 0x0A, 0x1F, 0x20, 0x3F, 0x40, 0x41, 0x7F, 0x80, 0x81, 0xBF, 0xC0, 0xFE, 0xFF,
    ]

    private typealias Change = @Sendable (ByteMutator, [UInt8], inout Dice) -> [UInt8]

    private static let changes: [Change] = [
        { $0.flipped($1, &$2) }, { $0.replaced($1, &$2) }, { $0.counted($1, &$2) }, { $0.inserted($1, &$2) },
        { $0.deleted($1, &$2) }, { $0.truncated($1, &$2) }, { $0.duplicated($1, &$2) }, { $0.spliced($1, &$2) },
        { VarintMutations.lengthened($1, &$2) }, { VarintMutations.replaced($1, &$2) },
        { $0.resized($1, &$2) }, { $0.resized($1, &$2) },
    ]

    /// The bytes after one to six changes.
    func mutated(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var result = bytes
        for _ in 0..<dice.few() { result = dice.pick(Self.changes)(self, result, &dice) }
        return Array(result.prefix(max(limit, bytes.count)))
    }

    /// The same number of bytes, with some changed.
    func changedInPlace(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        dice.once(in: 2) ? flipped(bytes, &dice) : replaced(bytes, &dice)
    }

    private func flipped(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var result = bytes
        result[dice.below(bytes.count)] ^= 1 << UInt8(dice.below(8))
        return result
    }

    private func replaced(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var result = bytes
        result[dice.below(bytes.count)] = dice.once(in: 4) ? dice.byte() : dice.pick(Self.interesting)
        return result
    }

    /// A count, or a small number, that is a little off.
    private func counted(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var result = bytes
        result[dice.below(bytes.count)] &+= dice.pick([1, 255, 2, 254, 3, 253])
        return result
    }

    private func inserted(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var result = bytes
        let new = dice.once(in: 2) ? [dice.pick(Self.interesting)] : dice.bytes(1 + dice.below(8))
        result.insert(contentsOf: new, at: dice.below(bytes.count + 1))
        return result
    }

    private func deleted(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var result = bytes
        result.removeSubrange(dice.range(in: bytes.count, atMost: 4))
        return result
    }

    private func truncated(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        Array(bytes.prefix(dice.below(bytes.count + 1)))
    }

    private func duplicated(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        let range = dice.range(in: bytes.count)
        var result = bytes
        result.insert(contentsOf: bytes[range], at: range.upperBound)
        return result
    }

    /// A part of another vector in place of a part of this one, or between.
    private func spliced(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        guard !pieces.isEmpty else { return bytes }
        let piece = dice.pick(pieces)
        let new = piece[dice.range(in: piece.count)]
        let start = dice.below(bytes.count + 1)
        var result = bytes
        result.replaceSubrange(start..<(dice.once(in: 2) ? start : min(bytes.count, start + new.count)), with: new)
        return result
    }

    /// A counted vector with other content and the right count, its enclosing vectors included or not.
    private func resized(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        VectorMutation(bytes, &dice)?.result(&dice) { content, dice in
            switch dice.below(4) {
            case 0: deleted(content, &dice)
            case 1: duplicated(content, &dice)
            case 2: spliced(content, &dice)
            default: inserted(content, &dice)
            }
        } ?? bytes
    }
}
