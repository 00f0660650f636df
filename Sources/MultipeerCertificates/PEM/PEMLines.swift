/// Walks the lines of a PEM text. Lines end with LF or CRLF; white space at their ends does not count (RFC 7468 §3).
struct PEMLines: ~Escapable {
    private let text: Span<UInt8>
    private var position = 0
    /// The number of the line that ``next()`` gave last, counted from 1.
    private(set) var number = 0

    @_lifetime(copy text)
    init(_ text: Span<UInt8>) {
        self.text = text
    }

    /// The next line without white space at its ends; nil at the end of the text.
    mutating func next() -> [UInt8]? {
        guard position < text.count else { return nil }
        var end = position
        while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
        var first = position
        var last = end
        while first < last, Self.isBlank(text[first]) { first += 1 }
        while last > first, Self.isBlank(text[last - 1]) { last -= 1 }
        var line: [UInt8] = []
        line.reserveCapacity(last - first)
        for index in first..<last { line.append(text[index]) }
        position = end + 1
        number += 1
        return line
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    /// The label of a boundary line, or nil when `line` is none.
    static func label(of line: [UInt8], after prefix: String) -> String? {
        let suffix = Array("-----".utf8)
        let opening = Array(prefix.utf8)
        guard line.count > opening.count + suffix.count, line.starts(with: opening),
            line.suffix(suffix.count).elementsEqual(suffix)
        else { return nil }
        let label = line[opening.count..<(line.count - suffix.count)]
        // labelchar of RFC 7468 §3, with spaces: visible ASCII but no hyphen at the ends.
        guard label.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return String(decoding: label, as: UTF8.self)
    }

    /// Whether `line` closes a block; outside of one that is an error.
    static func isEnd(_ line: [UInt8]) -> Bool { label(of: line, after: "-----END ") != nil }

    /// Whether `line` is the header that marks a key under a passphrase (RFC 1421 §4.6.1.1).
    static func isEncryptionHeader(_ line: [UInt8]) -> Bool {
        let text = String(decoding: line, as: UTF8.self)
        return text.hasPrefix("Proc-Type:") && text.hasSuffix("ENCRYPTED")
    }
}
