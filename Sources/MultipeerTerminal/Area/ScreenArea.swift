/// What stays on the last lines of a terminal, below everything that is printed: a list or table, bars, and at the very end what the
/// person is asked or types.
struct ScreenArea: Equatable, Sendable {
    /// The lines of a list or table.
    var list: [StyledLine] = []
    /// The line of the list that must be seen.
    var focus: Int?
    /// The bars, the oldest first.
    var bars: [Bar] = []
    var prompt: Prompt?
    /// How many lines have been typed after prompts.
    var answers = 0

    mutating func clear() {
        (list, focus, bars, prompt) = ([], nil, [], nil)
    }

    var isEmpty: Bool { list.isEmpty && bars.isEmpty && prompt == nil }

    /// One bar, and the number that distinguishes it.
    struct Bar: Equatable, Sendable {
        let number: Int
        var content: BarContent
    }

    /// What a bar says.
    enum BarContent: Equatable, Sendable {
        case progress(ProgressBar)
        /// A line.
        case text(String)

        /// At most `columns` columns.
        func line(columns: Int) -> String {
            switch self {
            case .progress(let progress): progress.line(columns: columns)
            case .text(let text): DisplayWidth.cut(text, to: columns)
            }
        }
    }
}

/// What the person is asked, and what follows it.
struct Prompt: Equatable, Sendable {
    let label: String
    /// What is typed.
    var text: [Character] = []
    /// Before which of these characters the cursor is.
    var cursor = 0
}
