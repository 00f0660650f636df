package import ArgumentParser
package import MultipeerTerminal

/// Options for writing results.
package struct OutputOptions: ParsableArguments {
    package init() {}

    static let jsonHelp: ArgumentHelp = "Print results as JSON, one object on each line (docs/command-line.md)."

    @Flag(help: jsonHelp)
    package var json = false

    /// Runs a command. A failure becomes a message and its exit status.
    ///
    /// - Parameter servesLinks: Whether printing must not hold up links (``Output/serveLinks()``).
    /// - Parameter stream: Where results go: to standard error, if standard output is for something else.
    package func run(
        servesLinks: Bool = false, resultsTo stream: StandardStream = .output,
        _ body: (Output) async throws(CommandFailure) -> ExitStatus
    ) async throws(ExitCode) {
        try await Self.run(isJSON: json, servesLinks: servesLinks, resultsTo: stream, body)
    }

    /// Does the same for a command that has its own option `--json`.
    package static func run(
        isJSON: Bool, verbosity: Verbosity = .usual, servesLinks: Bool = false,
        resultsTo stream: StandardStream = .output,
        _ body: (Output) async throws(CommandFailure) -> ExitStatus
    ) async throws(ExitCode) {
        let output = Output(isJSON: isJSON, verbosity: verbosity, resultsTo: stream)
        if servesLinks { output.serveLinks() }
        Signals.ignoreBrokenPipes()
        var status: ExitStatus
        do throws(CommandFailure) {
            status = try await body(output)
        } catch {
            output.fail(error, link: nil)
            status = error.status
        }
        await output.finish()
        if status == .done, output.isBroken { status = .outputClosed }
        if status != .done { throw status.code }
    }
}

extension Output {
    /// Reports a failure: to people on standard error, and to programs as an event.
    package func fail(_ failure: CommandFailure, link: Int?, label: String = "") {
        if isJSON { report(FailedEvent(failure: failure, link: link)) }
        report(failure, label: label)
    }
}
