import ArgumentParser

/// How results are written.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print results as JSON, one object a line (docs/command-line.md).")
    var json = false

    /// Runs a command: what it throws becomes a message, and the exit status that goes with it.
    func run(_ body: (Output) async throws(CommandFailure) -> Void) async throws(ExitCode) {
        let output = Output(isJSON: json)
        Signals.ignoreBrokenPipes()
        do throws(CommandFailure) {
            try await body(output)
        } catch {
            output.fail(error)
            throw error.status.code
        }
        if output.isBroken { throw ExitStatus.outputClosed.code }
    }
}

extension Output {
    /// Tells a failure: to people on standard error, to programs as the last event.
    func fail(_ failure: CommandFailure) {
        if isJSON { report(FailedEvent(failure: failure, link: nil)) }
        report(failure)
    }
}
