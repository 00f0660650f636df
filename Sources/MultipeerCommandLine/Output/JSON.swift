import Multipeer
import MultipeerCertificates

/// A JSON value (RFC 8259). Objects keep the order in which they were written, so that output is stable.
package enum JSON: Sendable {
    case string(String)
    case integer(UInt64)
    case boolean(Bool)
    case null
    case array([JSON])
    case object([(String, JSON)])

    /// The largest integer that every reader of JSON keeps exact (RFC 8259 §6). Larger integers become strings.
    private static let maximumExactInteger: UInt64 = 1 << 53 - 1

    /// Returns a member for bytes that may be text.
    package static func textOrBase64(_ bytes: [UInt8]) -> (key: String, value: JSON) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return ("base64", .string(Base64.encode(bytes)))
        }
        return ("text", .string(text))
    }

    /// The value as one line, without spaces and without a line feed at the end.
    package var line: String { String(decoding: bytes, as: UTF8.self) }

    /// The same line as bytes. They are appended in place, because a peer chooses how long its text is.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .string(let value): Self.write(value, to: &bytes)
        case .integer(let value):
            bytes.append(contentsOf: (value <= Self.maximumExactInteger ? String(value) : "\"\(value)\"").utf8)
        case .boolean(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .null: bytes.append(contentsOf: "null".utf8)
        case .array(let values):
            Self.write(values, between: "[", "]", to: &bytes) { value, bytes in value.write(to: &bytes) }
        case .object(let members):
            Self.write(members, between: "{", "}", to: &bytes) { member, bytes in
                Self.write(member.0, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.1.write(to: &bytes)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between opening: Unicode.Scalar, _ closing: Unicode.Scalar, to bytes: inout [UInt8],
        each: (Element, inout [UInt8]) -> Void
    ) {
        bytes.append(opening)
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            each(element, &bytes)
        }
        bytes.append(closing)
    }

    /// Writes a string. Characters that can harm a terminal are escaped as well, because people also read events.
    private static func write(_ value: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": bytes.append(contentsOf: "\\\"".utf8)
            case "\\": bytes.append(contentsOf: "\\\\".utf8)
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            case "\r": bytes.append(contentsOf: "\\r".utf8)
            case "\t": bytes.append(contentsOf: "\\t".utf8)
            case _ where SafeText.isHarmful(scalar):
                for unit in String(scalar).utf16 { writeEscape(of: unit, to: &bytes) }
            default: bytes.append(scalar)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes `\u` and four digits.
    private static func writeEscape(of unit: UInt16, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\\u".utf8)
        for place in [12, 8, 4, 0] {
            let digit = UInt8(truncatingIfNeeded: unit >> UInt16(place) & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
