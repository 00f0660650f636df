/// A line of plain text in styles. It holds no escapes: the screen makes them.
public struct StyledLine: Equatable, Sendable {
    /// Text in one style.
    public struct Part: Equatable, Sendable {
        let text: String
        let style: Style
    }

    private(set) var parts: [Part] = []

    /// An empty line.
    public init() {}

    /// A line in one style.
    public init(_ text: String, _ style: Style = .plain) {
        add(text, style)
    }

    /// A line that begins with text in exactly `columns` columns, and two blanks.
    public init(_ text: String, columns: Int, _ style: Style = .plain) {
        add(text, columns: columns, style)
    }

    /// Adds text at the end.
    public mutating func add(_ text: String, _ style: Style = .plain) {
        parts.append(Part(text: text, style: style))
    }

    /// Adds text in exactly `columns` columns, and two blanks.
    public mutating func add(_ text: String, columns: Int, _ style: Style = .plain) {
        add(DisplayWidth.padded(text, to: columns) + "  ", style)
    }

    /// Adds another line, in its own styles or in one.
    public mutating func add(_ line: StyledLine, in style: Style? = nil) {
        parts += line.parts.map { Part(text: $0.text, style: style ?? $0.style) }
    }

    /// The line as it is printed in at most `columns`.
    public func text(columns: Int, _ palette: Palette) -> String { fitted(to: columns, palette).text }

    /// The line for `columns`, and how many of them it takes.
    func fitted(to columns: Int, _ palette: Palette) -> (text: String, columns: Int) {
        var text = ""
        var used = 0
        for part in parts where used < columns {
            let shown = DisplayWidth.cut(part.text, to: columns - used)
            text += palette.styled(shown, in: part.style)
            used += DisplayWidth.columns(of: shown)
        }
        return (text, used)
    }
}
