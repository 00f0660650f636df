/// PEM text as RFC 7468 and docs/formats.md have it, by the plainest code: explanatory text is skipped, white space at
/// the ends of lines does not count, headers of RFC 1421 may come first, base64 is canonical.
struct ModelPEM {
    struct Block: Equatable {
        let label: String
        let bytes: [UInt8]
        let isEncrypted: Bool
    }

    private(set) var blocks: [Block] = []
    /// The first line that is wrong, counted from 1.
    private(set) var fault: Int?
    private(set) var isOverCount = false

    init(_ text: [UInt8]) {
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map { Self.trimmed(Array($0)) }
        // The end of the last line begins no other.
        if text.isEmpty || text.last == 0x0A { lines.removeLast() }
        var open: (label: String, lines: [String], base64: Int, padding: Int)?
        for (index, line) in lines.enumerated() where fault == nil && !isOverCount {
            let line = String(decoding: line.map { $0 < 0x80 ? $0 : 0x01 }, as: UTF8.self)
            if let block = open {
                guard Self.label(line, "END") != nil else {
                    if Self.isWrong(line, behind: block.base64, block.padding) { fault = index + 1 }
                    open?.lines.append(line)
                    guard !line.contains(":") else { continue }
                    open?.base64 += line.utf8.count
                    open?.padding += line.utf8.count { $0 == UInt8(ascii: "=") }
                    continue
                }
                finish(block.label, block.lines, line, index + 1)
                open = nil
            } else if let label = Self.label(line, "BEGIN") {
                if blocks.count == 1_024 { isOverCount = true }
                open = (label, [], 0, 0)
            } else if Self.label(line, "END") != nil {
                fault = index + 1
            }
        }
        if open != nil, fault == nil, !isOverCount { fault = lines.count }
    }

    private mutating func finish(_ label: String, _ lines: [String], _ end: String, _ number: Int) {
        let headers = lines.prefix { $0.contains(":") || $0.isEmpty }
        let base64 = lines.dropFirst(headers.count).joined()
        guard Self.label(end, "END") == label, !base64.isEmpty, let bytes = Self.bytes(base64) else {
            fault = number
            return
        }
        blocks.append(
            Block(label: label, bytes: bytes, isEncrypted: headers.contains("Proc-Type: 4,ENCRYPTED")))
    }

    private static func trimmed(_ line: [UInt8]) -> [UInt8] {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        return Array(line.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    /// The text between `-----BEGIN ` and `-----`, of visible characters and spaces.
    private static func label(_ line: String, _ word: String) -> String? {
        let utf8 = Array(line.utf8)
        let (opening, closing) = (Array("-----\(word) ".utf8), Array("-----".utf8))
        guard utf8.count > opening.count + closing.count, utf8.starts(with: opening),
            utf8.suffix(closing.count).elementsEqual(closing)
        else { return nil }
        let label = utf8.dropFirst(opening.count).dropLast(closing.count)
        return label.allSatisfy { (0x20...0x7E).contains($0) } ? String(decoding: label, as: UTF8.self) : nil
    }

    /// Whether a line inside of a block cannot follow `before` characters of base64, of which `padding` are padding.
    private static func isWrong(_ line: String, behind before: Int, _ padding: Int) -> Bool {
        guard !line.contains(":") else { return before > 0 }
        let digits = line.utf8.prefix { $0 != UInt8(ascii: "=") }
        let rest = line.utf8.dropFirst(digits.count)
        guard digits.allSatisfy(alphabet.contains), rest.allSatisfy({ $0 == UInt8(ascii: "=") }) else { return true }
        let (all, end) = (before - padding + digits.count, padding + rest.count)
        return (padding > 0 && !digits.isEmpty) || (end > 0 && (all % 4 < 2 || all % 4 + end > 4))
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The bytes whose one base64 text this is (RFC 4648 §4, §3.5): decoded loosely, and encoded again.
    static func bytes(_ base64: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (value, count) = (0, 0)
        for character in base64.utf8 where character != UInt8(ascii: "=") {
            guard let digit = alphabet.firstIndex(of: character) else { return nil }
            value = (value << 6 | digit) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: value >> count))
            }
        }
        return text(bytes) == base64 ? bytes : nil
    }

    /// Base64 with padding, on one line.
    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place > group.count ? UInt8(ascii: "=") : alphabet[value >> (18 - 6 * place) & 63])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
