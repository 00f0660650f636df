import MultipeerCrypto

/// The text of an identity file, three lines (docs/formats.md):
///
///     multipeer-identity 1
///     name Ada's laptop
///     seed 9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60
enum IdentityText {
    private static let header = Array("multipeer-identity ".utf8)
    private static let version = Array("1".utf8)
    private static let namePrefix = Array("name ".utf8)
    private static let seedPrefix = Array("seed ".utf8)
    private static let lineFeed = UInt8(ascii: "\n")

    /// A length that no valid file exceeds, in bytes.
    static let maximumLength = 256

    /// Returns the text in guarded memory of exactly its length.
    static func encode(
        name: DisplayName, seed: borrowing Secret, secrets: any SecretAllocator, path: String
    ) throws(StorageError) -> Secret {
        let opening = header + version + [lineFeed] + namePrefix + name.utf8Bytes + [lineFeed] + seedPrefix
        var text = try GuardedMemory.make(
            count: opening.count + 2 * IdentityFile.seedLength + 1, secrets, for: path)
        text.withMutableBytes { text in
            for index in opening.indices { text[index] = opening[index] }
            seed.withBytes { seed in
                for index in 0..<IdentityFile.seedLength {
                    text[opening.count + 2 * index] = digit(seed[index] >> 4)
                    text[opening.count + 2 * index + 1] = digit(seed[index] & 0x0F)
                }
            }
            text[text.count - 1] = lineFeed
        }
        return text
    }

    /// Accepts exactly what ``encode(name:seed:secrets:path:)`` writes, and nothing else.
    static func decode(
        _ text: Span<UInt8>, secrets: any SecretAllocator, path: String
    ) throws(StorageError) -> StoredIdentity {
        let first = try line(of: text, from: 0, number: 1, path)
        let versionLine = try value(of: text, first, after: header, number: 1, path)
        guard equals(text, versionLine, version) else { throw StorageError(.read, path, .unsupportedVersion) }
        let second = try line(of: text, from: first.upperBound + 1, number: 2, path)
        let name = try displayName(text, try value(of: text, second, after: namePrefix, number: 2, path), path)
        let third = try line(of: text, from: second.upperBound + 1, number: 3, path)
        let digits = try value(of: text, third, after: seedPrefix, number: 3, path)
        guard digits.count == 2 * IdentityFile.seedLength else { throw StorageError(.read, path, .malformed(line: 3)) }
        guard third.upperBound + 1 == text.count else { throw StorageError(.read, path, .malformed(line: 4)) }
        return StoredIdentity(name: name, seed: try seed(text, digits, secrets, path))
    }

    private static func line(
        of text: Span<UInt8>, from start: Int, number: Int, _ path: String
    ) throws(StorageError) -> Range<Int> {
        var end = start
        while end < text.count {
            if text[end] == lineFeed { return start..<end }
            end += 1
        }
        throw StorageError(.read, path, .malformed(line: number))
    }

    private static func value(
        of text: Span<UInt8>, _ line: Range<Int>, after prefix: [UInt8], number: Int, _ path: String
    ) throws(StorageError) -> Range<Int> {
        let split = line.lowerBound + prefix.count
        guard split <= line.upperBound, equals(text, line.lowerBound..<split, prefix) else {
            throw StorageError(.read, path, .malformed(line: number))
        }
        return split..<line.upperBound
    }

    private static func equals(_ text: Span<UInt8>, _ range: Range<Int>, _ expected: [UInt8]) -> Bool {
        range.count == expected.count && expected.indices.allSatisfy { text[range.lowerBound + $0] == expected[$0] }
    }

    private static func displayName(
        _ text: Span<UInt8>, _ range: Range<Int>, _ path: String
    ) throws(StorageError) -> DisplayName {
        var bytes: [UInt8] = []
        for index in range { bytes.append(text[index]) }
        guard let string = String(validating: bytes, as: UTF8.self), let name = try? DisplayName(string) else {
            throw StorageError(.read, path, .malformed(line: 2))
        }
        return name
    }

    private static func seed(
        _ text: Span<UInt8>, _ digits: Range<Int>, _ secrets: any SecretAllocator, _ path: String
    ) throws(StorageError) -> Secret {
        var seed = try GuardedMemory.make(count: IdentityFile.seedLength, secrets, for: path)
        let isValid = seed.withMutableBytes { seed in
            for index in 0..<IdentityFile.seedLength {
                guard let high = value(ofDigit: text[digits.lowerBound + 2 * index]),
                    let low = value(ofDigit: text[digits.lowerBound + 2 * index + 1])
                else { return false }
                seed[index] = high << 4 | low
            }
            return true
        }
        guard isValid else { throw StorageError(.read, path, .malformed(line: 3)) }
        return seed
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10)
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
