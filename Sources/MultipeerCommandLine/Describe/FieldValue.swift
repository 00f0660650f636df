import Multipeer
import MultipeerWire

/// A value in a record, with what is known about it.
package enum FieldValue: Sendable {
    case number(UInt64)
    /// A number of a registry, with its name.
    case code(UInt64, digits: Int, name: String)
    case bytes([UInt8])
    /// Bytes that are long or come from a peer. Only a preview of them is shown.
    case content([UInt8])
    /// A word of this program's own vocabulary.
    case word(String)
    case list([FieldValue])

    /// The value as text for people. It is safe for a terminal.
    package var text: String {
        switch self {
        case .number(let value): String(value)
        case .code(let value, let digits, let name): "\(Hex.number(value, digits: digits)) (\(name))"
        case .bytes(let bytes): bytes.isEmpty ? "empty" : Hex.encode(bytes)
        case .content(let bytes):
            bytes.isEmpty ? "empty" : "\(bytes.count) bytes \(SafeText.preview(bytes, limit: 48))"
        case .word(let word): word
        case .list(let values): values.isEmpty ? "none" : values.map(\.text).joined(separator: ", ")
        }
    }

    package var json: JSON {
        switch self {
        case .number(let value): .integer(value)
        case .code(let value, let digits, let name):
            .object([("value", .string(Hex.number(value, digits: digits))), ("name", .string(name))])
        case .bytes(let bytes): .string(Hex.encode(bytes))
        case .content(let bytes):
            .object([("size", .integer(UInt64(bytes.count))), Self.member(bytes)])
        case .word(let word): .string(word)
        case .list(let values): .array(values.map(\.json))
        }
    }

    private static func member(_ bytes: [UInt8]) -> (String, JSON) {
        let (key, value) = JSON.textOrBase64(bytes)
        return (key, value)
    }
}

/// A field by its name in SPEC.md.
package struct DescribedField: Sendable {
    package let name: String
    package let value: FieldValue

    package init(_ name: String, _ value: FieldValue) {
        self.name = name
        self.value = value
    }
}

extension [DescribedField] {
    /// `name value, name value`
    package var text: String { map { "\($0.name) \($0.value.text)" }.joined(separator: "; ") }

    package var json: JSON { .object(map { ($0.name, $0.value.json) }) }
}
