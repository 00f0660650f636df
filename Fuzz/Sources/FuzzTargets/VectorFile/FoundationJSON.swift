import Foundation
import FuzzSupport
import MultipeerVectors

/// Somebody else's reader of JSON.
enum FoundationJSON {
    /// What we read, Foundation reads as well, and it means the same. But it drops a byte order mark at the beginning of
    /// any string, where one is a character (RFC 8259 §8.1 is about the beginning of the text).
    static func compare(_ value: JSONValue, _ text: [UInt8]) throws {
        let marks = text.indices.filter { text[$0] == 0xEF && text[$0...].starts(with: [0xEF, 0xBB, 0xBF]) }
        guard marks.isEmpty else { return }
        let other: Any
        do { other = try JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed) } catch {
            throw OracleFailure("Foundation refuses what we read: \(error)")
        }
        try require(isSame(value, other), "Foundation reads another value than \(value)")
    }

    private static func isSame(_ value: JSONValue, _ other: Any) -> Bool {
        switch value {
        case .null: return other is NSNull
        case .bool(let truth): return (other as? NSNumber).map { isBool($0) && $0.boolValue == truth } ?? false
        case .integer(let number): return (other as? NSNumber).map { !isBool($0) && $0.intValue == number } ?? false
        case .string(let text): return (other as? String).map { $0.utf8.elementsEqual(text.utf8) } ?? false
        case .array(let elements):
            guard let others = other as? [Any], others.count == elements.count else { return false }
            return zip(elements, others).allSatisfy(isSame)
        case .object(let members):
            guard let others = other as? [String: Any], others.count == members.count else { return false }
            return members.allSatisfy { key, value in others[key].map { isSame(value, $0) } ?? false }
        }
    }

    private static func isBool(_ number: NSNumber) -> Bool {
        // SAFETY: the type's encoding is a constant string of at least one character.
        unsafe number.objCType.pointee == CChar(UInt8(ascii: "c"))
    }
}
