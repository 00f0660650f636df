/// Makes text of others safe for a terminal.
enum SafeText {
    /// Returns one line in which nothing moves a cursor, changes a colour, or hides or reorders text.
    ///
    /// A backslash becomes `\\`, so that nobody can fake an escape.
    static func escape(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            case _ where isHarmful(scalar):
                let code = String(scalar.value, radix: 16, uppercase: true)
                result.append(contentsOf: "\\u{\(code)}".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Does the same as ``escape(_:)`` for bytes that may or may not be text, and shortens the result to `limit` code
    /// points.
    static func preview(_ bytes: [UInt8], limit: Int) -> String {
        guard let text = String(validating: bytes, as: UTF8.self), isMostlyReadable(text, limit: limit) else {
            let shown = Hex.encode(Array(bytes.prefix(limit / 2)))
            return bytes.count > limit / 2 ? shown + "…" : shown
        }
        let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))
        return "\"" + escape(shown) + "\"" + (shown.utf8.count < bytes.count ? "…" : "")
    }

    /// Returns whether most of the text is readable without escapes.
    private static func isMostlyReadable(_ text: String, limit: Int) -> Bool {
        let shown = text.unicodeScalars.prefix(limit)
        return shown.count { isHarmful($0) } * 4 <= shown.count
    }

    /// Returns whether a code point is a control, is invisible, reorders text, or has no certain meaning for a
    /// terminal.
    static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
