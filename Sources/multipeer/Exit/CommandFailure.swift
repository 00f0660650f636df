/// Why a command did not do what it was asked: phase, reason and remedy for a person, a status for a program.
struct CommandFailure: Error, Equatable, Sendable {
    /// What was being done: one of the names in docs/command-line.md.
    let phase: String
    /// What is wrong, a clause without a full stop. Safe for a terminal.
    let reason: String
    /// What a person can do, a sentence.
    let remedy: String
    let status: ExitStatus

    init(_ phase: String, _ reason: String, remedy: String, _ status: ExitStatus) {
        self.phase = phase
        self.reason = reason
        self.remedy = Self.sentence(remedy)
        self.status = status
    }

    /// Begins with a capital and ends with a full stop, wherever the text came from.
    private static func sentence(_ text: String) -> String {
        guard let first = text.first, let last = text.last else { return text }
        return first.uppercased() + text.dropFirst() + (last == "." ? "" : ".")
    }
}
