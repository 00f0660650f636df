import MultipeerCrypto

/// Lines of a trace: bytes on the left, what they mean on the right, never wider than 110 columns.
struct TraceText {
    private(set) var lines: [String] = []
    /// Bytes on one line.
    private static let width = 24

    /// A line of prose or Markdown as it is.
    mutating func line(_ text: String = "") { lines.append(text) }

    /// Begins or ends a block of fixed-width text.
    mutating func fence() { lines.append("```") }

    /// Bytes from an offset on, with their meaning beside the first line.
    mutating func bytes(_ bytes: [UInt8], at offset: Int, _ meaning: String) {
        var rest = bytes[...]
        var (position, text) = (offset, meaning)
        repeat {
            let row = Hexadecimal.encode(Array(rest.prefix(Self.width)))
            let padding = String(repeating: " ", count: text.isEmpty ? 0 : Self.width * 2 - row.utf8.count + 2)
            lines.append(Self.column(position) + "  " + row + padding + text)
            rest = rest.dropFirst(Self.width)
            position += Self.width
            text = ""
        } while !rest.isEmpty
    }

    /// A named value that is not on the wire.
    mutating func value(_ name: String, _ bytes: [UInt8]) {
        let indent = 24
        var rest = bytes[...]
        var label = name
        repeat {
            let row = Hexadecimal.encode(Array(rest.prefix(32)))
            lines.append(label + String(repeating: " ", count: max(indent - label.utf8.count, 1)) + row)
            rest = rest.dropFirst(32)
            label = ""
        } while !rest.isEmpty
    }

    private static func column(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(5 - text.utf8.count, 0)) + text
    }
}
