package import MultipeerTerminal

/// The output of a command: results go to standard output, and everything else to standard error.
///
/// Results are text for people or JSON for programs. The screen keeps lines apart, and questions and bars below them; printing never
/// blocks a command that serves links (``serveLinks()``).
package final class Output: Sendable {
    /// Whether results are JSON, with one object on each line.
    package let isJSON: Bool
    /// How much is printed for people.
    package let verbosity: Verbosity
    package let screen: Screen
    /// Bounds the lines about strangers.
    package let strangers = StrangerLines()

    package init(isJSON: Bool, verbosity: Verbosity = .usual, resultsTo stream: StandardStream = .output) {
        self.isJSON = isJSON
        self.verbosity = verbosity
        screen = Screen(resultsTo: stream) { count, palette in
            Self.line(OmittedEvent(count: count), isJSON: isJSON, verbosity, palette)
        }
    }

    /// Whether people see what is redrawn in place: bars, tables, and what they type.
    package var isLive: Bool { !isJSON && screen.canRedraw }
    /// Whether bars are drawn.
    package var showsBars: Bool { isLive && verbosity != .quiet }

    /// Whether the reader of standard output has gone away.
    var isBroken: Bool { screen.isBroken }

    /// Calls `action` once when the reader of standard output goes away, or at once if it has already gone.
    func whenBroken(_ action: @escaping @Sendable () -> Void) { screen.whenBroken(action) }

    // MARK: Printing

    /// Prints a result.
    package func report(_ report: some Report) {
        guard isJSON || verbosity >= report.leastVerbosity else { return }
        screen.printResult { Array((Self.line(report, isJSON: isJSON, verbosity, screen.resultPalette) + "\n").utf8) }
    }

    /// Prints a diagnostic for people, also in JSON mode. It is lost if nobody reads it.
    package func note(_ text: (Palette) -> String) { screen.printNote(text) }

    package func warn(_ text: String) {
        guard verbosity != .quiet else { return }
        note { $0.yellow("warning:") + " " + text }
    }

    /// Reports the failure of a command.
    ///
    /// - Parameter label: Tells people which link failed.
    package func report(_ failure: CommandFailure, label: String = "") {
        note { palette in
            (label.isEmpty ? "" : palette.dim(label))
                + palette.red("\(Program.name): \(failure.phase):")
                + " \(failure.reason)\n  \(palette.bold("remedy:")) "
                + failure.remedy
        }
    }

    private static func line(_ report: some Report, isJSON: Bool, _ verbosity: Verbosity, _ palette: Palette) -> String
    {
        guard !isJSON else { return JSON.object(report.members).line }
        return report.text(palette) + (verbosity == .verbose ? report.details(palette) : "")
    }

    // MARK: Slow readers

    /// From now on, what finds no room is left out and counted, and nobody waits for a reader.
    func serveLinks() { screen.leaveOutWhenFull() }

    /// Waits while much waits to be printed and somebody reads it, so that a link with many events is as fast as the
    /// reader. It does not wait for a reader that takes nothing.
    package func waitForRoom() async { await screen.waitForRoom() }

    /// From now on, ``finish()`` gives up a reader that takes nothing.
    func hurry() { screen.hurry() }

    /// Waits until everything has been printed.
    package func finish() async { await screen.finish() }
}
