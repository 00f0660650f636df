import FuzzSupport
import MultipeerVectors

/// Our JSON against the grammar of RFC 8259, against Foundation's, and against itself.
enum JSONOracle {
    static func read(_ text: [UInt8]) throws {
        let value: JSONValue
        do {
            value = try JSONParser.parse(text)
        } catch {
            try checkFault(error, text)
            if isOurStrictness(error.reason) { return }
            return try require(!ModelJSON.accepts(text), "RFC 8259 allows what we refuse: \(error.reason)")
        }
        try require(ModelJSON.accepts(text), "RFC 8259 does not allow what we read")
        try require(depth(value) <= 64, "a value of depth \(depth(value))")
        try FoundationJSON.compare(value, text)
        try write(value)
    }

    /// Written, read again and written again: the same text, which says more than that the values are equal, because
    /// Swift holds canonically equivalent strings for equal.
    static func write(_ value: JSONValue) throws {
        for text in [JSONWriter.file(value), JSONWriter.line(value)] {
            let bytes = Array(text.utf8)
            let again: JSONValue
            do { again = try JSONParser.parse(bytes) } catch {
                throw OracleFailure("JSON that was written cannot be read: \(error)")
            }
            try requireEqual(again, value, "a value of JSON, read again")
            let same = text.utf8.last == 0x0A ? JSONWriter.file(again) : JSONWriter.line(again)
            try requireEqual(Array(same.utf8), bytes, "JSON, written again")
            try FoundationJSON.compare(value, bytes)
        }
        try require(!JSONWriter.line(value).utf8.contains(0x0A), "one line")
    }

    /// What we refuse and others read: fractions, exponents and numbers beyond 64 bits, keys that occur twice, depth.
    private static func isOurStrictness(_ reason: JSONParser.Fault.Reason) -> Bool {
        switch reason {
        case .badNumber, .duplicateKey, .tooDeep: true
        case .unexpectedEnd, .unexpectedCharacter, .badString, .trailing: false
        }
    }

    /// The place is in the text, or just after it.
    private static func checkFault(_ fault: JSONParser.Fault, _ text: [UInt8]) throws(OracleFailure) {
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        try require((1...lines.count).contains(fault.line), "a fault in line \(fault.line) of \(lines.count)")
        let width = lines[fault.line - 1].count
        try require((1...(width + 1)).contains(fault.column), "a fault in column \(fault.column) of \(width)")
    }

    private static func depth(_ value: JSONValue) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(depth).max() ?? 0)
        default: 1
        }
    }
}
