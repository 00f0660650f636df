import Multipeer
package import MultipeerClock
import MultipeerTerminal
package import MultipeerTransfers
import Synchronization

/// Shows how one file comes along, below everything that is printed. A file of which nothing moves is said to be stalled.
package final class TransferBar: Sendable {
    /// After how long without a byte a file is stalled, and how often the time is shown.
    private static let (patience, pause): (Duration, Duration) = (.seconds(3), .seconds(1))

    private struct State {
        var latest: (progress: FileProgress, at: ContinuousClock.Instant)?
        var ticker: Task<Void, Never>?
        var isOver = false
    }

    private let direction: FileDirection
    /// Nil where none is drawn.
    private let bar: BarHandle?
    private let clock: any SteadyClock
    private let state = Mutex(State())

    package init(_ direction: FileDirection, _ output: Output, clock: any SteadyClock = ContinuousClock()) {
        self.direction = direction
        self.clock = clock
        bar = output.showsBars ? output.screen.beginBar() : nil
    }

    deinit { end() }

    package func show(_ event: TransferEvent) {
        guard case .progress(let progress) = event else { return }
        show(FileProgress(progress, direction))
    }

    package func show(_ progress: FileProgress) {
        guard bar != nil else { return }
        state.withLock { state in
            guard !state.isOver else { return }
            state.latest = (progress, clock.now)
            draw(progress, stalledFor: nil)
            if state.ticker == nil { state.ticker = ticker() }
        }
    }

    package func end() {
        state.withLock { state in
            state.isOver = true
            state.ticker?.cancel()
            bar?.end()
        }
    }

    /// No event reports what does not happen.
    private func ticker() -> Task<Void, Never> {
        Task { [weak self, clock] in
            while (try? await clock.sleep(for: Self.pause)) != nil { self?.noteTime() }
        }
    }

    private func noteTime() {
        state.withLock { state in
            guard !state.isOver, let (progress, time) = state.latest, progress.transferred < progress.size else {
                return
            }
            let wait = time.duration(to: clock.now)
            if wait >= Self.patience { draw(progress, stalledFor: wait) }
        }
    }

    private func draw(_ progress: FileProgress, stalledFor wait: Duration?) {
        bar?.show(
            ProgressBar(
                verb: direction == .sent ? "sending" : "receiving", name: SafeText.escape(progress.name),
                done: progress.transferred, size: progress.size, bytesPerSecond: progress.bytesPerSecond,
                timeLeft: progress.timeLeft, stalledFor: wait))
    }
}
