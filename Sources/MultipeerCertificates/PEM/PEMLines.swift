/// Walks the lines of a PEM text. Lines end with LF or CRLF; white space at their ends does not count (RFC 7468 §3).
///
/// Gives spans of the text, not copies: a line may be a piece of a private key.
struct PEMLines: ~Escapable {
    private let text: Span<UInt8>
    private var position = 0
    /// The number of the line that ``next()`` gave last, counted from 1.
    private(set) var number = 0

    @_lifetime(copy text)
    init(_ text: Span<UInt8>) {
        self.text = text
    }

    /// The most bytes that the lines up to the next boundary can decode to.
    var decodedBound: Int {
        var (end, dashes) = (position, 0)
        while end < text.count, dashes < 5 {
            dashes = text[end] == UInt8(ascii: "-") ? dashes + 1 : 0
            end += 1
        }
        return (end - position) / 4 * 3 + 3
    }

    /// The next line without white space at its ends; nil at the end of the text.
    @_lifetime(copy self)
    mutating func next() -> Span<UInt8>? {
        guard position < text.count else { return nil }
        var end = position
        while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
        var first = position
        var last = end
        while first < last, Self.isBlank(text[first]) { first += 1 }
        while last > first, Self.isBlank(text[last - 1]) { last -= 1 }
        position = end + 1
        number += 1
        return text.extracting(first..<last)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    /// The label of a boundary line, or nil when `line` is none.
    static func label(of line: Span<UInt8>, after prefix: StaticString) -> String? {
        let opening = Array("\(prefix)".utf8)
        let dashes = Array("-----".utf8)
        let labelEnd = line.count - dashes.count
        guard labelEnd > opening.count else { return nil }
        for index in opening.indices where line[index] != opening[index] { return nil }
        for index in dashes.indices where line[labelEnd + index] != dashes[index] { return nil }
        var label = ""
        for index in opening.count..<labelEnd {
            // labelchar of RFC 7468 §3, with spaces: visible ASCII.
            guard (0x20...0x7E).contains(line[index]) else { return nil }
            label.unicodeScalars.append(Unicode.Scalar(line[index]))
        }
        return label
    }

    /// Whether `line` is a header of RFC 1421, which alone has a colon.
    static func isHeader(_ line: Span<UInt8>) -> Bool {
        for index in 0..<line.count where line[index] == UInt8(ascii: ":") { return true }
        return false
    }

    /// Whether `line` is the header that marks a key under a passphrase (RFC 1421 §4.6.1.1).
    static func isEncryptionHeader(_ line: Span<UInt8>) -> Bool {
        let header = Array("Proc-Type: 4,ENCRYPTED".utf8)
        guard line.count == header.count else { return false }
        for index in header.indices where line[index] != header[index] { return false }
        return true
    }
}
