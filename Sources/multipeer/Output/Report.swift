/// Something that a command has to say: one line for people, or one JSON object for programs.
protocol Report: Sendable {
    /// The members of the object; the first is `event`.
    var members: [(String, JSON)] { get }

    /// One or more lines without the last line feed, safe for a terminal.
    func text(_ palette: Palette) -> String
}
