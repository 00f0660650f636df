import Synchronization

/// Where commands say things: results on standard output, everything else on standard error.
///
/// Lines of several links never mix, and a progress bar makes way for them.
final class Output: Sendable {
    private struct State {
        var bar: String?
        var isBroken = false
        var onBroken: (@Sendable () -> Void)?
    }

    /// Whether results are JSON, one object a line.
    let isJSON: Bool
    /// Whether a bar may be drawn: standard error is a terminal, and nobody asked for JSON.
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

    /// Whether whoever read standard output is gone.
    var isBroken: Bool { state.withLock(\.isBroken) }

    /// Calls `action`, once, when whoever reads standard output is gone; at once if that is so already.
    func whenBroken(_ action: @escaping @Sendable () -> Void) {
        let isBroken = state.withLock { state in
            state.onBroken = action
            return state.isBroken
        }
        if isBroken { action() }
    }

    /// A result.
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

    /// A diagnostic for people, in JSON mode as well. Lost if nobody reads it.
    func note(_ text: (Palette) -> String) {
        write(text(diagnosticPalette) + "\n")
    }

    func warn(_ text: String) {
        note { $0.yellow("warning:") + " " + text }
    }

    /// The end of a command that did not do what it was asked.
    ///
    /// - Parameter label: How people tell the link from others.
    func report(_ failure: CommandFailure, label: String = "") {
        note { palette in
            (label.isEmpty ? "" : palette.dim(label))
                + palette.red("multipeer: \(failure.phase):") + " \(failure.reason)\n  \(palette.bold("remedy:")) "
                + failure.remedy
        }
    }

    /// A question, or the answer's echo, without a line feed.
    func prompt(_ text: String) { write(text) }

    /// Shows `bar` on the last line of the terminal, in place of the one before; nil removes it.
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
