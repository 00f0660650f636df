internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Changes of bytes that may be a varint (SPEC §3.2).
enum VarintMutations {
    /// Where limits of SPEC.md are, and the ends of each form.
    private static let interesting: [UInt64] = [
        0, 1, 2, 6, 7, 63, 64, 65, 255, 256, 512, 513, 1_024, 1_025, 16_383, 16_384, 16_385, 65_511, 65_512, 131_072,
        600_000, 600_001, 1 << 30 - 1, 1 << 30, 1 << 32 - 1, 1 << 32, 1 << 53 - 1, 1 << 53, 1 << 62 - 1,
    ]

    /// The varint at an offset, minimal or not.
    static func read(_ bytes: [UInt8], at offset: Int) -> (value: UInt64, length: Int)? {
        guard offset < bytes.count else { return nil }
        let length = 1 << Int(bytes[offset] >> 6)
        guard offset + length <= bytes.count else { return nil }
        let value = bytes[offset..<offset + length].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (value & (UInt64.max >> UInt64(66 - 8 * length)), length)
    }

    /// In a form of 1, 2, 4 or 8 bytes, which need not be the shortest.
    static func write(_ value: UInt64, length: Int) -> [UInt8] {
        let tag = UInt64(length.trailingZeroBitCount) << UInt64(8 * length - 2)
        return (0..<length).reversed().map { UInt8(truncatingIfNeeded: (value | tag) >> UInt64(8 * $0)) }
    }

    /// A longer form than the shortest, which [R3.2-1] forbids.
    static func lengthened(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        change(bytes, &dice) { value, length, dice in
            length < 8 ? write(value, length: min(8, length << (1 + dice.below(2)))) : nil
        }
    }

    /// Another value, in its shortest form.
    static func replaced(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8] {
        change(bytes, &dice) { value, _, dice in
            let near = [value &+ 1, value &- 1, value &* 2].filter { $0 <= VarInt.maximum }
            return WireBytes.varint(dice.once(in: 3) && !near.isEmpty ? dice.pick(near) : dice.pick(interesting))
        }
    }

    private static func change(
        _ bytes: [UInt8], _ dice: inout Dice, _ new: (UInt64, Int, inout Dice) -> [UInt8]?
    ) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        // Varints are at the beginning of most structures.
        let offset = dice.once(in: 3) ? dice.below(min(4, bytes.count)) : dice.below(bytes.count)
        guard let (value, length) = read(bytes, at: offset), let written = new(value, length, &dice) else {
            return bytes
        }
        var result = bytes
        result.replaceSubrange(offset..<offset + length, with: written)
        return result
    }
}
