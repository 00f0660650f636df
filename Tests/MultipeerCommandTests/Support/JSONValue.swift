import Foundation

/// What a JSON reader makes of an event: not the code that wrote it.
enum JSONValue: Decodable, Equatable, Sendable {
    case string(String)
    case number(Double)
    case boolean(Bool)
    case null
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    subscript(index: Int) -> JSONValue? {
        if case .array(let values) = self, values.indices.contains(index) { values[index] } else { nil }
    }

    /// The elements of an array; none of anything else.
    var elements: [JSONValue] {
        if case .array(let values) = self { values } else { [] }
    }

    var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    var number: Int? {
        if case .number(let value) = self { Int(value) } else { nil }
    }

    /// Reads one line; nil when it is no JSON.
    static func parse(_ line: String) -> JSONValue? {
        try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
    }
}

extension [JSONValue] {
    /// The first event of that name.
    func first(_ name: String) -> JSONValue? { first { $0["event"] == .string(name) } }

    func all(_ name: String) -> [JSONValue] { filter { $0["event"] == .string(name) } }

    var names: [String] { compactMap { $0["event"]?.string } }
}
