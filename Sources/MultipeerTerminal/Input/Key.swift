/// A key, as a terminal reports it.
enum Key: Equatable, Sendable {
    case character(Character)
    case enter, backspace, delete
    case up, down, left, right, home, end
    /// Ctrl-U and Ctrl-W.
    case eraseLine, eraseWord
    /// Ctrl-D.
    case endOfInput
    case escape
    /// A key that means nothing here.
    case other
}

/// Makes keys of the bytes that a terminal sends.
struct KeyDecoder {
    /// No key is longer; what is, is none.
    private static let longest = 16

    private var bytes: [UInt8] = []

    /// Whether bytes wait for the rest of their key. If none comes soon, ``flush()`` says what they are.
    var isWaiting: Bool { !bytes.isEmpty }

    /// Takes a byte. Returns the key that it completes.
    mutating func take(_ byte: UInt8) -> Key? {
        bytes.append(byte)
        guard let key = bytes[0] == 0x1B ? escaped() : bytes[0] < 0x80 ? Self.control(byte) : text() else {
            return bytes.count < Self.longest ? nil : flush()
        }
        bytes = []
        return key
    }

    /// The rest of a key has not come: the escape key itself, or nothing that is known.
    mutating func flush() -> Key? {
        defer { bytes = [] }
        guard let first = bytes.first else { return nil }
        return first == 0x1B && bytes.count == 1 ? .escape : .other
    }

    private static func control(_ byte: UInt8) -> Key {
        switch byte {
        case 0x0A, 0x0D: .enter
        case 0x7F, 0x08: .backspace
        case 0x01: .home
        case 0x05: .end
        case 0x02: .left
        case 0x06: .right
        case 0x0E: .down
        case 0x10: .up
        case 0x04: .endOfInput
        case 0x15: .eraseLine
        case 0x17: .eraseWord
        case 0x09: .character(" ")
        case 0x20...0x7E: .character(Character(Unicode.Scalar(byte)))
        default: .other
        }
    }

    private func text() -> Key? {
        let length = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : 2
        guard bytes.count >= length else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self), let character = text.first else { return .other }
        return .character(character)
    }

    /// ESC [ … letter, ESC [ … ~ and ESC O letter (ECMA-48 and xterm).
    private func escaped() -> Key? {
        guard bytes.count >= 2 else { return nil }
        let isSequence = bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O")
        guard isSequence else { return .other }
        guard bytes.count >= 3, let last = bytes.last, (0x40...0x7E).contains(last) else { return nil }
        switch last {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return .right
        case UInt8(ascii: "D"): return .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "~"):
            switch bytes[2...].dropLast() {
            case [UInt8(ascii: "1")], [UInt8(ascii: "7")]: return .home
            case [UInt8(ascii: "4")], [UInt8(ascii: "8")]: return .end
            case [UInt8(ascii: "3")]: return .delete
            default: return .other
            }
        default: return .other
        }
    }
}
