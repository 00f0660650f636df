/// Writes JSON in the one form that vectors have (Vectors/README.md): keys in the order of their code points, two spaces
/// of indentation, a newline at the end. The same text as Python's `json.dumps(v, indent=2, sort_keys=True,
/// ensure_ascii=False)`.
public enum JSONWriter {
    /// The text of a file.
    public static func file(_ value: JSONValue) -> String {
        var text = ""
        write(value, depth: 0, to: &text)
        return text + "\n"
    }

    /// The text of one line, as shims speak it; no newline.
    public static func line(_ value: JSONValue) -> String {
        var text = ""
        write(value, depth: nil, to: &text)
        return text
    }

    private static func write(_ value: JSONValue, depth: Int?, to text: inout String) {
        switch value {
        case .null: text += "null"
        case .bool(let truth): text += truth ? "true" : "false"
        case .integer(let number): text += String(number)
        case .string(let string): write(string, to: &text)
        case .array(let elements):
            list("[", "]", elements, depth: depth, to: &text) { element, depth, text in
                write(element, depth: depth, to: &text)
            }
        case .object(let members):
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            list("{", "}", sorted, depth: depth, to: &text) { member, depth, text in
                write(member.key, to: &text)
                text += ": "
                write(member.value, depth: depth, to: &text)
            }
        }
    }

    private static func list<Element>(
        _ open: String, _ close: String, _ elements: [Element], depth: Int?, to text: inout String,
        _ body: (Element, Int?, inout String) -> Void
    ) {
        text += open
        for (index, element) in elements.enumerated() {
            if let depth {
                text += (index == 0 ? "\n" : ",\n") + String(repeating: "  ", count: depth + 1)
            } else if index > 0 {
                text += ", "
            }
            body(element, depth.map { $0 + 1 }, &text)
        }
        if let depth, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: depth) }
        text += close
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{08}": text += "\\b"
            case "\u{0C}": text += "\\f"
            case "\u{00}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
