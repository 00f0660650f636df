import Multipeer
import MultipeerTerminal
import MultipeerTransfers

/// Shows how one file comes along, below everything that is printed.
struct TransferBar: Sendable {
    private let direction: FileDirection
    /// Nil where none is drawn.
    private let bar: BarHandle?

    init(_ direction: FileDirection, _ output: Output) {
        self.direction = direction
        bar = output.showsBars ? output.screen.beginBar() : nil
    }

    func show(_ event: TransferEvent) {
        guard case .progress(let progress) = event else { return }
        show(FileProgress(progress, direction))
    }

    func show(_ progress: FileProgress) {
        bar?.show(
            ProgressBar(
                verb: direction == .sent ? "sending" : "receiving", name: SafeText.escape(progress.name),
                done: progress.transferred, size: progress.size, bytesPerSecond: progress.bytesPerSecond,
                timeLeft: progress.timeLeft))
    }

    func end() { bar?.end() }
}
