/// A result of a command: text for people, or one JSON object for programs.
protocol Report: Sendable {
    /// The members of the object. The first one is `event`.
    var members: [(String, JSON)] { get }

    /// Returns one or more lines without the last line feed. They are safe for a terminal.
    func text(_ palette: Palette) -> String
}
