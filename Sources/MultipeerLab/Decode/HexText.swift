/// Hexadecimal text as people paste it. It may contain digits of either case, blanks, line ends, colons, commas, `0x`,
/// and comments from `#` to the end of the line.
enum HexText {
    /// An error for text that is not hexadecimal.
    struct Fault: Error, Equatable {
        /// The offset in the text, in bytes.
        let offset: Int
        let reason: String
    }

    static func decode(_ text: [UInt8]) throws(Fault) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: (value: UInt8, offset: Int)?
        var offset = 0
        while offset < text.count {
            let character = text[offset]
            if character == UInt8(ascii: "#") {
                while offset < text.count, text[offset] != UInt8(ascii: "\n") { offset += 1 }
            } else if isPrefix(text, at: offset), high == nil {
                offset += 1
            } else if let digit = value(of: character) {
                if let first = high {
                    bytes.append(first.value << 4 | digit)
                    high = nil
                } else {
                    high = (digit, offset)
                }
            } else if !isSeparator(character) {
                throw Fault(offset: offset, reason: "a character is not a hexadecimal digit")
            } else if let first = high {
                throw Fault(offset: first.offset, reason: "a byte has only one digit")
            }
            offset += 1
        }
        if let first = high { throw Fault(offset: first.offset, reason: "the last byte has only one digit") }
        return bytes
    }

    private static func isPrefix(_ text: [UInt8], at offset: Int) -> Bool {
        guard offset + 1 < text.count, text[offset] == UInt8(ascii: "0") else { return false }
        return text[offset + 1] == UInt8(ascii: "x") || text[offset + 1] == UInt8(ascii: "X")
    }

    private static func isSeparator(_ character: UInt8) -> Bool {
        [" ", "\t", "\r", "\n", ":", ","].contains(UnicodeScalar(character))
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
