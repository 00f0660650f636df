/// Base64 with padding (RFC 4648 §4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// One line without an end.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            appendGroup(bytes[start..<min(start + 3, bytes.count)], to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Lines of 64 characters.
    static func encodeLines(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + bytes.count / 48 + 8)
        var index = 0
        while index < bytes.count {
            appendGroup(bytes[index..<min(index + 3, bytes.count)], to: &text)
            index += 3
            if index % 48 == 0, index < bytes.count { text.append(UInt8(ascii: "\n")) }
        }
        if !bytes.isEmpty { text.append(UInt8(ascii: "\n")) }
        return text
    }

    private static func appendGroup(_ group: ArraySlice<UInt8>, to text: inout [UInt8]) {
        var bits: UInt32 = 0
        for byte in group { bits = bits << 8 | UInt32(byte) }
        bits <<= UInt32(8 * (3 - group.count))
        for place in 0..<4 {
            let isPadding = place > group.count
            text.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(bits >> UInt32(18 - 6 * place) & 0x3F)])
        }
    }
}

/// Decodes canonical base64 that comes line by line. May hold a private key, so it can be wiped.
struct Base64Decoder {
    private var bytes: [UInt8] = []
    private var bits: UInt32 = 0
    private var digits = 0
    private var padding = 0

    /// Whether no digit came yet.
    private(set) var isEmpty = true

    /// Reserves memory for any private key at once, so that growing leaves no copies of one.
    init(capacity: Int) {
        bytes.reserveCapacity(min(capacity, 8192))
    }

    /// Takes a line; false when it is no base64, or continues after padding.
    mutating func take(_ line: Span<UInt8>) -> Bool {
        for index in 0..<line.count {
            guard take(line[index]) else { return false }
        }
        return true
    }

    private mutating func take(_ character: UInt8) -> Bool {
        isEmpty = false
        if character == UInt8(ascii: "=") {
            // One `=` after three digits, two after two.
            guard digits + padding < 4, digits >= 2, padding < 2 else { return false }
            padding += 1
            return true
        }
        guard padding == 0, let value = Self.value(of: character) else { return false }
        bits = bits << 6 | UInt32(value)
        digits += 1
        if digits == 4 {
            bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits = 0
            digits = 0
        }
        return true
    }

    /// The decoded bytes; nil when a group is incomplete, or its unused bits are not zero (RFC 4648 §3.5).
    mutating func finish() -> [UInt8]? {
        switch (digits, padding) {
        case (0, 0):
            return bytes
        case (2, 2):
            guard bits & 0x0F == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case (3, 1):
            guard bits & 0x03 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
        default:
            return nil
        }
        return bytes
    }

    /// Overwrites what was decoded.
    mutating func wipe() {
        for index in bytes.indices { bytes[index] = 0 }
        bytes = []
        bits = 0
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
