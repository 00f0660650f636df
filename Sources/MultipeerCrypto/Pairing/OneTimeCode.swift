/// A code that one peer shows and a person types at another: `4-tulip-orbit` (SPEC §25.4).
public struct OneTimeCode: Hashable, Sendable {
    /// The numbers that a code may have.
    public static let numbers = 1...999
    /// The longest text that may be a code, in bytes.
    static let maximumTextLength = 64

    /// Says which peer shows the code. It is public.
    public let number: Int
    /// The secret: two words of ``PairingWords``.
    public let words: [String]

    /// Draws both words, with equal chances, from four bytes of `random` (R25.4-2).
    /// - Precondition: `number` is one of ``numbers``.
    public init(number: Int, random: inout any RandomSource) {
        precondition(Self.numbers.contains(number), "a code has a number of 1 to 999")
        let bytes = random.bytes(4).map(Int.init)
        self.number = number
        // 2^16 is a multiple of 1,024, so no word is likelier than another.
        words = [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]].map { PairingWords.all[$0 & 0x3FF] }
    }

    /// Brings what a person typed into normal form; nil where it has none (R25.4-1).
    public init?(typed text: String) { self.init(typed: Array(text.utf8)) }

    /// The same for bytes that may be no text.
    package init?(typed bytes: [UInt8]) {
        guard bytes.count <= Self.maximumTextLength else { return nil }
        let parts = Self.parts(bytes)
        guard parts.count == 3, let number = Self.number(parts[0]) else { return nil }
        let words = parts[1...].map { String(decoding: $0, as: UTF8.self) }
        guard words.allSatisfy({ PairingWords.index(of: $0) != nil }) else { return nil }
        self.number = number
        self.words = words
    }

    /// The words in what a person typed that no code can have, in lower case; none where there are not a number and two words.
    public static func unknownWords(in text: String) -> [String] {
        let parts = parts(Array(text.utf8))
        guard parts.count == 3, text.utf8.count <= maximumTextLength else { return [] }
        return parts[1...].map { String(decoding: $0, as: UTF8.self) }.filter { PairingWords.index(of: $0) == nil }
    }

    /// A number and words, as they are between separators.
    private static func parts(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.split { [0x20, 0x09, 0x0A, 0x0D, 0x2D, 0x5F].contains($0) }.map { $0.map(lowercase) }
    }

    /// The normal form, which is what a person sees as well.
    public var normalForm: String { ([String(number)] + words).joined(separator: "-") }

    /// The normal form as a password of CPace.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    public func password(in memory: any SecretAllocator) throws(CryptoFailure) -> Secret {
        let bytes = Array(normalForm.utf8)
        return try memory.makeSecret(copying: bytes.span)
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// One to three digits without a leading zero.
    private static func number(_ digits: [UInt8]) -> Int? {
        guard digits.count <= 3, digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

extension OneTimeCode: CustomStringConvertible {
    public var description: String { normalForm }
}
