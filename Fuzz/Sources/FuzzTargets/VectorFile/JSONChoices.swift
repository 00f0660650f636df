import FuzzSupport
import MultipeerVectors

/// Makes values of JSON out of choices: each that a program may hand to the writer.
enum JSONChoices {
    static func value(_ choices: inout Choices, depth: Int) -> JSONValue {
        // Choices beyond the end are zero, so this ends.
        switch choices.int(below: depth < 60 ? 7 : 5) {
        case 0: return .null
        case 1: return .bool(choices.bool())
        case 2: return .integer(Int(choices.byte()) - 128)
        case 3: return .integer(Int(truncatingIfNeeded: choices.uint64()))
        case 4: return .string(text(&choices))
        case 5: return .array((0..<choices.int(below: 5)).map { _ in value(&choices, depth: depth + 1) })
        default:
            var members: [String: JSONValue] = [:]
            for _ in 0..<choices.int(below: 5) { members[text(&choices)] = value(&choices, depth: depth + 1) }
            return .object(members)
        }
    }

    private static func text(_ choices: inout Choices) -> String {
        String(decoding: choices.bytes(upTo: 24), as: UTF8.self)
    }
}
