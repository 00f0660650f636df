import MultipeerCore
import Synchronization

/// Follows one file, and says when its progress is worth telling.
final class ProgressMeter: Sendable {
    /// How often a slow file is reported.
    private static let interval: Duration = .milliseconds(500)

    private struct State {
        var rate: RateMeter
        let resumedAt: UInt64
        var transferred: UInt64
        var lastPercent: Int?
        var lastTime: Instant
    }

    private let direction: TransferDirection
    private let name: String
    private let size: UInt64
    private let now: @Sendable () -> Instant
    private let state = Mutex<State?>(nil)

    init(_ direction: TransferDirection, _ name: String, _ size: UInt64, _ now: @escaping @Sendable () -> Instant) {
        self.direction = direction
        self.name = name
        self.size = size
        self.now = now
    }

    /// The bytes after the first `offset` begin to flow. Later calls change nothing.
    func begin(at offset: UInt64) {
        state.withLock { state in
            guard state == nil else { return }
            let now = now()
            state = State(rate: RateMeter(startingAt: now), resumedAt: offset, transferred: offset, lastTime: now)
        }
    }

    /// `count` bytes more, up to a position, which is less than before where bytes are sent again. Returns what is worth reporting.
    func advance(to position: UInt64, by count: Int) -> TransferProgress? {
        state.withLock { state in
            guard state != nil else { return nil }
            return note(position, UInt64(count), &state!)
        }
    }

    private func note(_ position: UInt64, _ count: UInt64, _ state: inout State) -> TransferProgress? {
        let now = now()
        state.transferred = position
        state.rate.add(count, at: now)
        let percent = TransferProgress.percent(state.transferred, of: size)
        guard percent != state.lastPercent || now.duration(since: state.lastTime) >= Self.interval else { return nil }
        (state.lastPercent, state.lastTime) = (percent, now)
        return TransferProgress(
            direction: direction, name: name, transferred: state.transferred, size: size, resumedAt: state.resumedAt,
            bytesPerSecond: state.rate.rate(at: now))
    }
}
