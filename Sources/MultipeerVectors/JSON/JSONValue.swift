/// A value of JSON as vectors and shims use it: no fractions, and integers that fit into 64 bits.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The member of an object; nil for anything else.
    public subscript(_ key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The text, if it is one.
    public var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The number, if it is one.
    public var number: Int? { if case .integer(let number) = self { number } else { nil } }

    /// The truth, if it is one.
    public var truth: Bool? { if case .bool(let truth) = self { truth } else { nil } }

    /// The elements, if it is an array.
    public var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members, if it is an object.
    public var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}
