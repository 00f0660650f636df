package import MultipeerTerminal

/// A result of a command: text for people, or one JSON object for programs.
package protocol Report: Sendable {
    /// The members of the object. The first one is `event`.
    var members: [(String, JSON)] { get }

    /// From which verbosity on it is printed for people.
    var leastVerbosity: Verbosity { get }

    /// Returns one or more lines without the last line feed. They are safe for a terminal.
    func text(_ palette: Palette) -> String

    /// Returns what follows the text for those who want keys and hashes.
    func details(_ palette: Palette) -> String
}

extension Report {
    package var leastVerbosity: Verbosity { .usual }

    package func details(_ palette: Palette) -> String { "" }
}
