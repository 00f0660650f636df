import Synchronization

/// The output of a command: results go to standard output, and everything else to standard error.
///
/// Lines of several links never mix. A question and a progress bar stay on the last line of the terminal. Printing never
/// blocks a command that serves links (``serveLinks()``).
final class Output: Sendable {
    /// What may stand on the last line of the terminal. A question is more important than a bar.
    private struct Footers {
        var question: String?
        var bar: String?

        var shown: String? { question ?? bar }
    }

    /// Whether results are JSON, with one object on each line.
    let isJSON: Bool
    /// Whether a progress bar may be drawn. This is so if standard error is a terminal and results are not JSON.
    let drawsProgress: Bool
    /// Where results go.
    private let resultStream: StandardStream
    private let resultPalette: Palette
    private let diagnosticPalette: Palette
    private let results: Printer
    /// The same printer as for results if both go to a terminal, because a bar must give way to both.
    private let diagnostics: Printer
    private let footers = Mutex(Footers())

    init(isJSON: Bool, resultsTo stream: StandardStream = .output) {
        self.isJSON = isJSON
        resultStream = stream
        drawsProgress = !isJSON && StandardStream.error.isTerminal
        let (resultPalette, diagnosticPalette) = (Palette(for: stream), Palette(for: .error))
        results = Printer { count in
            PrintQueue.Item(
                stream: stream, bytes: Output.line(OmittedEvent(count: count), isJSON: isJSON, resultPalette))
        }
        let isOneTerminal = stream.isTerminal && StandardStream.error.isTerminal
        diagnostics =
            isOneTerminal
            ? results
            : Printer { count in
                let text = diagnosticPalette.yellow("left out:") + " \(count) notes, because nobody read them in time\n"
                return PrintQueue.Item(stream: .error, bytes: Array(text.utf8))
            }
        self.resultPalette = resultPalette
        self.diagnosticPalette = diagnosticPalette
    }

    /// Whether the reader of standard output has gone away.
    var isBroken: Bool { results.isBroken }

    /// Calls `action` once when the reader of standard output goes away, or at once if it has already gone.
    func whenBroken(_ action: @escaping @Sendable () -> Void) { results.whenBroken(action) }

    // MARK: Printing

    /// Prints a result.
    func report(_ report: some Report) {
        results.print(to: resultStream) { Self.line(report, isJSON: isJSON, resultPalette) }
    }

    /// Prints a diagnostic for people, also in JSON mode. It is lost if nobody reads it.
    func note(_ text: (Palette) -> String) {
        diagnostics.print(to: .error) { Array((text(diagnosticPalette) + "\n").utf8) }
    }

    func warn(_ text: String) {
        note { $0.yellow("warning:") + " " + text }
    }

    /// Reports the failure of a command.
    ///
    /// - Parameter label: Tells people which link failed.
    func report(_ failure: CommandFailure, label: String = "") {
        note { palette in
            (label.isEmpty ? "" : palette.dim(label))
                + palette.red("multipeer: \(failure.phase):") + " \(failure.reason)\n  \(palette.bold("remedy:")) "
                + failure.remedy
        }
    }

    /// Shows `bar` on the last line of the terminal, in place of the previous one. Nil removes it.
    func show(bar: String?) {
        guard drawsProgress else { return }
        show { $0.bar = bar }
    }

    /// Shows a question, whose answer is typed behind it, on the last line of the terminal. Nil removes it.
    func show(question: String?) {
        guard StandardStream.error.isTerminal else {
            // Nothing can be replaced in a pipe.
            return diagnostics.print(to: .error) { Array((question ?? "\n").utf8) }
        }
        show { $0.question = question }
    }

    private func show(_ change: (inout Footers) -> Void) {
        // The lock is held meanwhile, or an older footer could come last.
        footers.withLock { footers in
            change(&footers)
            diagnostics.show(footer: footers.shown)
        }
    }

    private static func line(_ report: some Report, isJSON: Bool, _ palette: Palette) -> [UInt8] {
        (isJSON ? JSON.object(report.members).bytes : Array(report.text(palette).utf8)) + [UInt8(ascii: "\n")]
    }

    // MARK: Slow readers

    /// From now on, what finds no room is left out and counted, and nobody waits for a reader.
    func serveLinks() { printers { $0.leaveOutWhenFull() } }

    /// Waits while much waits to be printed and somebody reads it, so that a link with many events is as fast as the
    /// reader. It does not wait for a reader that takes nothing.
    func waitForRoom() async {
        await results.waitForRoom()
        await diagnostics.waitForRoom()
    }

    /// From now on, ``finish()`` gives up a reader that takes nothing.
    func hurry() { printers { $0.hurry() } }

    /// Waits until everything has been printed.
    func finish() async {
        await results.finish()
        await diagnostics.finish()
    }

    private func printers(_ action: (Printer) -> Void) {
        action(results)
        action(diagnostics)
    }
}
