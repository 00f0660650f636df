import MultipeerCertificates

/// A JSON value (RFC 8259). Objects keep the order in which they were written, so that output is stable.
enum JSON: Sendable {
    case string(String)
    case integer(UInt64)
    case boolean(Bool)
    case null
    case array([JSON])
    case object([(String, JSON)])

    /// The largest integer that every reader of JSON keeps exact (RFC 8259 §6). Larger integers become strings.
    private static let maximumExactInteger: UInt64 = 1 << 53 - 1

    /// Returns a member for bytes that may be text.
    static func textOrBase64(_ bytes: [UInt8]) -> (key: String, value: JSON) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return ("base64", .string(Base64.encode(bytes)))
        }
        return ("text", .string(text))
    }

    /// The value as one line, without spaces and without a line feed at the end.
    var line: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .string(let value): Self.write(value, to: &text)
        case .integer(let value):
            text += value <= Self.maximumExactInteger ? String(value) : "\"\(value)\""
        case .boolean(let value): text += value ? "true" : "false"
        case .null: text += "null"
        case .array(let values):
            Self.write(values, between: "[]", to: &text) { value, text in value.write(to: &text) }
        case .object(let members):
            Self.write(members, between: "{}", to: &text) { member, text in
                Self.write(member.0, to: &text)
                text += ":"
                member.1.write(to: &text)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between brackets: String, to text: inout String,
        each: (Element, inout String) -> Void
    ) {
        text.append(contentsOf: brackets.prefix(1))
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            each(element, &text)
        }
        text.append(contentsOf: brackets.suffix(1))
    }

    /// Writes a string. Characters that can harm a terminal are escaped as well, because people also read events.
    private static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where SafeText.isHarmful(scalar):
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
