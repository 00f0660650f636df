internal import MultipeerCrypto

/// Reads JSON text (RFC 8259), and reports where it is wrong.
///
/// Stricter than most: a key that occurs twice in an object, and a number that is not an integer of 64 bits, are
/// errors.
public struct JSONParser {
    /// What is wrong, and in which line and column, both counted from 1.
    public struct Fault: Error, Equatable, Sendable {
        public enum Reason: Equatable, Sendable {
            case unexpectedEnd, unexpectedCharacter, badNumber, badString
            case duplicateKey(String)
            case tooDeep, trailing
        }

        public let reason: Reason
        public let line: Int
        public let column: Int
    }

    private static let maximumDepth = 64
    private let bytes: [UInt8]
    private var offset = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads one value. Nothing may follow it.
    public static func parse(_ bytes: [UInt8]) throws(Fault) -> JSONValue {
        var parser = JSONParser(bytes)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.offset == bytes.count else { throw parser.fault(.trailing) }
        return value
    }

    private func fault(_ reason: Fault.Reason) -> Fault {
        let before = bytes.prefix(offset)
        let line = before.count { $0 == 0x0A } + 1
        let column = offset - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        return Fault(reason: reason, line: line, column: column)
    }

    private mutating func skipSpace() {
        while offset < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
    }

    private func peek() throws(Fault) -> UInt8 {
        guard offset < bytes.count else { throw fault(.unexpectedEnd) }
        return bytes[offset]
    }

    private mutating func value(depth: Int) throws(Fault) -> JSONValue {
        guard depth < Self.maximumDepth else { throw fault(.tooDeep) }
        skipSpace()
        switch try peek() {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .integer(try number())
        default: throw fault(.unexpectedCharacter)
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(Fault) -> JSONValue {
        for byte in word.utf8 {
            guard try peek() == byte else { throw fault(.unexpectedCharacter) }
            offset += 1
        }
        return value
    }

    private mutating func number() throws(Fault) -> Int {
        let start = offset
        while offset < bytes.count, !",]} \n\r\t".utf8.contains(bytes[offset]) { offset += 1 }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        // The round trip refuses leading zeros, a plus, fractions and exponents.
        guard let number = Int(text), String(number) == text else {
            offset = start
            throw fault(.badNumber)
        }
        return number
    }

    private mutating func array(depth: Int) throws(Fault) -> JSONValue {
        offset += 1
        var elements: [JSONValue] = []
        skipSpace()
        if try peek() == UInt8(ascii: "]") {
            offset += 1
            return .array([])
        }
        while true {
            elements.append(try value(depth: depth + 1))
            if try endsList(UInt8(ascii: "]")) { return .array(elements) }
        }
    }

    private mutating func object(depth: Int) throws(Fault) -> JSONValue {
        offset += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if try peek() == UInt8(ascii: "}") {
            offset += 1
            return .object([:])
        }
        while true {
            skipSpace()
            guard try peek() == UInt8(ascii: "\"") else { throw fault(.unexpectedCharacter) }
            let key = try string()
            guard members[key] == nil else { throw fault(.duplicateKey(key)) }
            skipSpace()
            guard try peek() == UInt8(ascii: ":") else { throw fault(.unexpectedCharacter) }
            offset += 1
            members[key] = try value(depth: depth + 1)
            if try endsList(UInt8(ascii: "}")) { return .object(members) }
        }
    }

    /// Takes a comma, or the end of the list.
    private mutating func endsList(_ end: UInt8) throws(Fault) -> Bool {
        skipSpace()
        let byte = try peek()
        guard byte == end || byte == UInt8(ascii: ",") else { throw fault(.unexpectedCharacter) }
        offset += 1
        return byte == end
    }

    private mutating func string() throws(Fault) -> String {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        while true {
            let byte = try peek()
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    offset = start
                    throw fault(.badString)
                }
                return string
            case UInt8(ascii: "\\"): text += try escape()
            case 0..<0x20: throw fault(.badString)
            default:
                text.append(byte)
                offset += 1
            }
        }
    }

    private mutating func escape() throws(Fault) -> [UInt8] {
        offset += 1
        let byte = try peek()
        let plain: [UInt8: UInt8] = [
            0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
        ]
        if let meant = plain[byte] {
            offset += 1
            return [meant]
        }
        guard byte == UInt8(ascii: "u") else { throw fault(.badString) }
        offset += 1
        var code = UInt32(try unit())
        if (0xD800..<0xDC00).contains(code) {
            guard try peek() == 0x5C else { throw fault(.badString) }
            offset += 1
            guard try peek() == UInt8(ascii: "u") else { throw fault(.badString) }
            offset += 1
            let low = UInt32(try unit())
            guard (0xDC00..<0xE000).contains(low) else { throw fault(.badString) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw fault(.badString) }
        return Array(String(scalar).utf8)
    }

    private mutating func unit() throws(Fault) -> UInt16 {
        guard offset + 4 <= bytes.count,
            // Int.init takes signs as well.
            let digits = Hexadecimal.decode(String(decoding: bytes[offset..<offset + 4], as: UTF8.self))
        else { throw fault(.badString) }
        offset += 4
        return UInt16(digits[0]) << 8 | UInt16(digits[1])
    }
}
