/// Colours for a terminal that wants them, and none for others (https://no-color.org).
public struct Palette: Sendable {
    /// Whether there are colours.
    public let isEnabled: Bool

    /// Creates a palette with or without colours.
    public init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// Creates the palette for text on `stream`.
    public init(for stream: StandardStream) {
        isEnabled = stream.canRedraw && (Environment["NO_COLOR"] ?? "").isEmpty
    }

    /// The text in bold.
    public func bold(_ text: String) -> String { styled(text, in: .bold) }
    /// The text with less weight.
    public func dim(_ text: String) -> String { styled(text, in: .dim) }
    /// The text in red: a failure.
    public func red(_ text: String) -> String { styled(text, in: .red) }
    /// The text in green: a success.
    public func green(_ text: String) -> String { styled(text, in: .green) }
    /// The text in yellow: a warning.
    public func yellow(_ text: String) -> String { styled(text, in: .yellow) }

    /// The text in a style.
    public func styled(_ text: String, in style: Style) -> String {
        guard isEnabled, let code = style.code else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}

/// How text looks.
public enum Style: Equatable, Sendable {
    case plain, bold, dim, red, green, yellow
    /// As the line on which the person is.
    case selected

    fileprivate var code: String? {
        switch self {
        case .plain: nil
        case .bold: "1"
        case .dim: "2"
        case .red: "31"
        case .green: "32"
        case .yellow: "33"
        case .selected: "7"
        }
    }
}
