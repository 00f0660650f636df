/// The failure of a command: phase, reason and remedy for a person, and an exit status for a program.
package struct CommandFailure: Error, Equatable, Sendable {
    /// The phase in which it failed, by one of the names in docs/command-line.md.
    package let phase: String
    /// What is wrong, in a clause without a full stop. It is safe for a terminal.
    package let reason: String
    /// What a person can do, in a sentence.
    package let remedy: String
    package let status: ExitStatus

    package init(_ phase: String, _ reason: String, remedy: String, _ status: ExitStatus) {
        self.phase = phase
        self.reason = reason
        self.remedy = Self.sentence(remedy)
        self.status = status
    }

    /// Returns the text with a capital at the beginning and a full stop at the end.
    private static func sentence(_ text: String) -> String {
        guard let first = text.first, let last = text.last else { return text }
        return first.uppercased() + text.dropFirst() + (last == "." ? "" : ".")
    }
}
