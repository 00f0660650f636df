/// How many columns text takes on a terminal.
///
/// The C library's `wcwidth` depends on the locale of the process, and the tables of terminals differ. Where these differ, this one
/// says more and not less: a line that is thought too long is cut, and one that is thought too short spoils the screen.
package enum DisplayWidth {
    /// What takes the place of a character that a terminal would obey.
    static let replacement: Unicode.Scalar = "\u{FFFD}"

    /// East Asian wide characters and pictures (UAX #11, in large blocks).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18AFF, 0x1B000...0x1B2FF,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
    ]

    static func columns(of scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The columns of a text without controls (``safe(_:)``).
    package static func columns(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
    }

    /// The text with everything replaced that a terminal would obey. A caller that shows text of a stranger should have
    /// escaped it before, so that it can be read; this is the last line of defence.
    package static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? replacement : $0 }))
    }

    /// The beginning of the text that `columns` have room for, with an ellipsis if that is not all.
    package static func cut(_ text: String, to columns: Int) -> String {
        let text = safe(text)
        guard self.columns(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        var used = 0
        var end = text.startIndex
        while end < text.endIndex {
            // Whole characters: a mark belongs to the character before it.
            let next = self.columns(of: String(text[end]))
            guard used + next < columns else { break }
            used += next
            end = text.index(after: end)
        }
        return text[..<end] + "…"
    }

    /// The text in exactly `columns`.
    package static func padded(_ text: String, to columns: Int) -> String {
        let text = cut(text, to: columns)
        return text + String(repeating: " ", count: max(0, columns - self.columns(of: text)))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
