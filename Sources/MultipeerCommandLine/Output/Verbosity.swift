package import ArgumentParser
package import MultipeerTerminal

/// How much is printed for people. Programs (`--json`) get everything.
package enum Verbosity: Comparable, Sendable {
    /// Failures, questions, and what others say.
    case quiet
    case usual
    /// Keys, hashes and every step as well.
    case verbose
}

/// Options for the output of commands that talk with peers.
package struct PeerOutputOptions: ParsableArguments {
    package init() {}

    @Flag(name: .shortAndLong, help: "Show keys, hashes and every step as well.")
    package var verbose = false

    @Flag(name: .shortAndLong, help: "Show nothing but failures, questions and messages.")
    package var quiet = false

    // Not a group of its own: a debug build of ArgumentParser checks each group four times for each group around it.
    @Flag(help: OutputOptions.jsonHelp)
    package var json = false

    package func validate() throws {
        guard !verbose || !quiet else { throw ValidationError("--verbose and --quiet exclude each other.") }
    }

    /// Runs a command (``OutputOptions/run(servesLinks:resultsTo:_:)``).
    package func run(
        servesLinks: Bool = false, resultsTo stream: StandardStream = .output,
        _ body: (Output) async throws(CommandFailure) -> ExitStatus
    ) async throws(ExitCode) {
        try await OutputOptions.run(
            isJSON: json, verbosity: quiet ? .quiet : verbose ? .verbose : .usual, servesLinks: servesLinks,
            resultsTo: stream, body)
    }
}
