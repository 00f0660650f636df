import MultipeerCertificates
import MultipeerCrypto

/// Makes text of others safe for a terminal.
///
/// A peer chooses how long its text is, so every function here takes time in proportion to the length.
package enum SafeText {
    /// The greatest number of bytes of a message that people see. Programs see all of it.
    package static let messageLimit = 4_096

    /// Returns one line in which nothing moves a cursor, changes a colour, or hides or reorders text.
    ///
    /// A backslash becomes `\\`, so that nobody can fake an escape.
    package static func escape(_ text: String) -> String {
        // Bytes are appended in place. `UnicodeScalarView.append(contentsOf:)` copies the whole view at each call.
        var safe: [UInt8] = []
        safe.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": safe.append(contentsOf: "\\\\".utf8)
            case "\n": safe.append(contentsOf: "\\n".utf8)
            case "\t": safe.append(contentsOf: "\\t".utf8)
            case _ where isHarmful(scalar):
                safe.append(contentsOf: "\\u{".utf8)
                safe.append(contentsOf: String(scalar.value, radix: 16, uppercase: true).utf8)
                safe.append(UInt8(ascii: "}"))
            default: safe.append(scalar)
            }
        }
        return String(decoding: safe, as: UTF8.self)
    }

    /// Returns a message, or its beginning and how much is left out. Text is escaped, and other bytes are in base64.
    package static func message(_ bytes: [UInt8]) -> String {
        let isText = String(validating: bytes, as: UTF8.self) != nil
        var end = min(bytes.count, messageLimit)
        // The end must not cut a code point in two.
        while isText, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        let shown = Array(bytes[..<end])
        let text =
            isText
            ? escape(String(decoding: shown, as: UTF8.self)) : "\(bytes.count) bytes, base64 \(Base64.encode(shown))"
        let rest = bytes.count - end
        return rest == 0 ? text : text + "… (\(rest) of \(bytes.count) bytes left out; --json prints all)"
    }

    /// Does the same as ``escape(_:)`` for bytes that may or may not be text, and shortens the result to `limit` code
    /// points.
    package static func preview(_ bytes: [UInt8], limit: Int) -> String {
        guard let text = String(validating: bytes, as: UTF8.self), isMostlyReadable(text, limit: limit) else {
            let shown = Hexadecimal.encode(Array(bytes.prefix(limit / 2)))
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
    package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        // Most text is ASCII, and looking up a property takes much longer than this.
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension [UInt8] {
    /// Appends a code point in UTF-8.
    package mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            append(UInt8(truncatingIfNeeded: scalar.value))
        } else {
            append(contentsOf: String(scalar).utf8)
        }
    }
}
