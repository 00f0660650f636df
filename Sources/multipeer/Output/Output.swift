import Synchronization

/// The output of a command: results go to standard output, and everything else to standard error.
///
/// Lines of several links never mix, and a progress bar gives way to them.
final class Output: Sendable {
    private struct State {
        var bar: String?
        var isBroken = false
        var onBroken: (@Sendable () -> Void)?
    }

    /// Whether results are JSON, with one object on each line.
    let isJSON: Bool
    /// Whether a progress bar may be drawn. This is so if standard error is a terminal and results are not JSON.
    let drawsProgress: Bool
    private let resultPalette: Palette
    private let diagnosticPalette: Palette
    private let state = Mutex(State())

    init(isJSON: Bool) {
        self.isJSON = isJSON
        drawsProgress = !isJSON && StandardStream.error.isTerminal
        resultPalette = Palette(for: .output)
        diagnosticPalette = Palette(for: .error)
    }

    /// Whether the reader of standard output has gone away.
    var isBroken: Bool { state.withLock(\.isBroken) }

    /// Calls `action` once when the reader of standard output goes away, or at once if it has already gone.
    func whenBroken(_ action: @escaping @Sendable () -> Void) {
        let isBroken = state.withLock { state in
            state.onBroken = action
            return state.isBroken
        }
        if isBroken { action() }
    }

    /// Writes a result.
    func report(_ report: some Report) {
        let line = isJSON ? JSON.object(report.members).line : report.text(resultPalette)
        let broken = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isBroken else { return nil }
            clearBar(&state)
            let isWritten = StandardStream.output.write(Array((line + "\n").utf8))
            drawBar(&state)
            guard !isWritten else { return nil }
            state.isBroken = true
            return state.onBroken
        }
        broken?()
    }

    /// Writes a diagnostic for people, also in JSON mode. It is lost if nobody reads it.
    func note(_ text: (Palette) -> String) {
        write(text(diagnosticPalette) + "\n")
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

    /// Writes a question, or the echo of the answer, without a line feed.
    func prompt(_ text: String) { write(text) }

    /// Shows `bar` on the last line of the terminal, in place of the previous one. Nil removes it.
    func show(bar: String?) {
        guard drawsProgress else { return }
        state.withLock { state in
            guard state.bar != bar else { return }
            clearBar(&state)
            state.bar = bar
            drawBar(&state)
        }
    }

    private func write(_ text: String) {
        state.withLock { state in
            clearBar(&state)
            _ = StandardStream.error.write(Array(text.utf8))
            drawBar(&state)
        }
    }

    private func clearBar(_ state: inout State) {
        if state.bar != nil { _ = StandardStream.error.write(Array("\r\u{1B}[K".utf8)) }
    }

    private func drawBar(_ state: inout State) {
        if let bar = state.bar { _ = StandardStream.error.write(Array(bar.utf8)) }
    }
}
