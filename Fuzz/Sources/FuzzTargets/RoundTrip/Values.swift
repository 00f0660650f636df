import FuzzSupport
import MultipeerWire

/// Values from choices, near the limits of SPEC.md as often as not.
enum Values {
    /// Exactly `count` bytes.
    static func exactly(_ count: Int, _ choices: inout Choices) -> [UInt8] {
        let taken = choices.take(count)
        return taken + [UInt8](repeating: 0xA5, count: count - taken.count)
    }

    /// About `count` bytes: one fewer, one more, or exactly that number.
    static func around(_ count: Int, _ choices: inout Choices) -> [UInt8] {
        let length = max(0, count + [0, 0, 0, 0, 0, 0, -1, 1][choices.int(below: 8)])
        return exactly(length, &choices)
    }

    /// A few bytes, or as many as a limit allows, give or take one.
    static func bytes(limit: Int, _ choices: inout Choices) -> [UInt8] {
        guard choices.int(below: 8) == 7 else { return choices.bytes(upTo: min(limit, 40)) }
        return [UInt8](repeating: choices.byte(), count: max(0, limit - 1 + choices.int(below: 3)))
    }

    /// A number that an integer of SPEC §3.2 can hold, near the edges of its lengths and of other limits.
    static func varint(_ choices: inout Choices) -> UInt64 {
        let edges: [UInt64] = [
            0, 1, 63, 64, 16_383, 16_384, 600_000, 600_001, 1 << 30 - 1, 1 << 30, 0xFFFF_FFFF, 1 << 32, 1 << 53 - 1,
            1 << 53, VarInt.maximum,
        ]
        let choice = choices.byte()
        return Int(choice) < edges.count ? edges[Int(choice)] : choices.uint64() & VarInt.maximum >> UInt64(choice % 62)
    }

    /// UTF-8 as often as not, with scalars that names must not contain, and bytes that are none.
    static func text(_ choices: inout Choices, limit: Int) -> [UInt8] {
        switch choices.int(below: 4) {
        case 0: return bytes(limit: limit, &choices)
        case 1: return [UInt8](repeating: UInt8(ascii: "n"), count: limit - 1 + choices.int(below: 3))
        default:
            let scalars = (0..<choices.int(below: 12)).compactMap { _ in
                Unicode.Scalar(choices.uint32() >> UInt32(11 + choices.int(below: 16)))
            }
            return Array(String(String.UnicodeScalarView(scalars)).utf8)
        }
    }

    /// Fields of later versions, which version 1 skips where they are odd, ascending and short (SPEC §3.4).
    static func fields(_ choices: inout Choices, limit: Int = 1_024) -> (list: [Field], areLegal: Bool) {
        let list = (0..<choices.int(below: 4)).map { _ in
            Field(type: varint(&choices), value: bytes(limit: Field.maximumLength, &choices))
        }
        return (list, areLegal(list, limit: limit))
    }

    /// SPEC §3.4. `isKnown` says which fields of even type there are, and whether their value is right.
    static func areLegal(_ list: [Field], limit: Int = 1_024, isKnown: (Field) -> Bool = { _ in false }) -> Bool {
        let types = list.map(\.type)
        let ascend = zip(types, types.dropFirst()).allSatisfy { $0 < $1 }
        var length = 0
        for field in list { length += self.length(field.type) + vectorLength(field.value) }
        return ascend && list.allSatisfy { $0.type % 2 == 1 || isKnown($0) }
            && list.allSatisfy { $0.value.count <= 4_096 }
            && length <= limit
    }

    /// Parameters of a charter, known ones among them (SPEC §14.1).
    static func parameters(_ choices: inout Choices) -> (list: [Field], areLegal: Bool) {
        var list = fields(&choices).list.filter { $0.type > 4 }
        let maxima: [[UInt8]] = [[2], [0x41, 0], [1], [0x40, 2], []]
        if choices.int(below: 4) == 0 { list.insert(Field(type: 4, value: choices.pick(maxima)), at: 0) }
        let admissions: [[UInt8]] = [[0], [1], [2], [], [1, 1]]
        if choices.int(below: 4) == 0 { list.insert(Field(type: 2, value: choices.pick(admissions)), at: 0) }
        let isRight = { (field: Field) in
            field.type == 2 && [[0], [1]].contains(field.value)
                || field.type == 4 && [[2], [0x41, 0]].contains(field.value)
        }
        return (list, areLegal(list, isKnown: isRight))
    }

    /// Up to nine admissions; eight are a chain (SPEC §14.2).
    static func chain(_ choices: inout Choices) -> [Admission] {
        (0..<choices.int(below: 10)).map { _ in
            Admission(admitter: exactly(32, &choices), signature: exactly(64, &choices))
        }
    }

    /// How many bytes an integer takes, as the table of SPEC §3.2 says.
    static func length(_ value: UInt64) -> Int {
        value < 64 ? 1 : value < 16_384 ? 2 : value < 1_073_741_824 ? 4 : 8
    }

    /// How many bytes a vector takes, its count included.
    static func vectorLength(_ bytes: [UInt8]) -> Int { length(UInt64(bytes.count)) + bytes.count }

    /// R4.2-1, by Swift's own strings.
    static func isNameText(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        let isAllowed = text.unicodeScalars.allSatisfy { scalar in
            let isControl = scalar.value <= 0x1F || (0x7F...0x9F).contains(scalar.value)
            let isLayout = (0x2028...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            let isUnseen =
                (0x200B...0x200F).contains(scalar.value) || (0x2060...0x2064).contains(scalar.value)
                || (0xE0000...0xE007F).contains(scalar.value) || [0xAD, 0x61C, 0xFEFF].contains(scalar.value)
            return !isControl && !isLayout && !isUnseen
        }
        let fillers: [UInt32] = [0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0]
        let hasInk = text.unicodeScalars.contains { !$0.properties.isWhitespace && !fillers.contains($0.value) }
        return isAllowed && (text.isEmpty || hasInk)
    }

    /// R3.3 on text: well-formed UTF-8, by Swift's own strings.
    static func isText(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }
}
