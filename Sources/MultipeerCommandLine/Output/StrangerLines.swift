package import MultipeerClock
import MultipeerTerminal
import Synchronization

/// Of how many strangers there are lines: connections and keys cost nothing, and must not fill a terminal or a log. The others are
/// counted.
package final class StrangerLines: Sendable {
    /// Of how many there are at once.
    static let burst = 32
    /// After how long there is room for one more.
    package static let interval: Duration = .seconds(2)

    private struct State {
        /// When the last one has been paid for.
        var paid: ContinuousClock.Instant?
        var missed = 0

        mutating func takeMissed() -> Int {
            defer { missed = 0 }
            return missed
        }
    }

    private let state = Mutex(State())
    private let clock: any SteadyClock

    package init(clock: any SteadyClock = ContinuousClock()) { self.clock = clock }

    /// One more stranger comes. Returns whether there are lines about it, and if so, about how many there were none since the last one.
    package func begin() -> (isHeard: Bool, missed: Int) {
        let now = clock.now
        return state.withLock { state in
            let next = max(state.paid ?? now, now).advanced(by: Self.interval)
            guard now.duration(to: next) <= Self.interval * Self.burst else {
                state.missed += 1
                return (false, 0)
            }
            state.paid = next
            return (true, state.takeMissed())
        }
    }

    /// How many there were of which nothing was said.
    package func takeMissed() -> Int { state.withLock { $0.takeMissed() } }
}

/// Strangers that have come, and of which there are no other lines.
struct StrangersEvent: Report {
    let count: Int

    var members: [(String, JSON)] { [("event", .string("strangers")), ("count", .integer(UInt64(count)))] }

    func text(_ palette: Palette) -> String {
        palette.yellow(
            "\(count) more \(count == 1 ? "stranger" : "strangers") came, without further lines")
    }
}

extension Output {
    /// One more stranger comes. Returns whether to print what happens to it; otherwise it is counted.
    package func hearsStranger() -> Bool {
        let (isHeard, missed) = strangers.begin()
        if missed > 0 { report(StrangersEvent(count: missed)) }
        return isHeard
    }

    /// The command ends: says how many strangers were counted.
    package func tellStrangers() {
        let missed = strangers.takeMissed()
        if missed > 0 { report(StrangersEvent(count: missed)) }
    }
}

/// Whether what happens to one link, or one peer, is printed.
package final class Voice: Sendable {
    private let isHeardNow: Mutex<Bool>

    package init(isHeard: Bool) { isHeardNow = Mutex(isHeard) }

    package var isHeard: Bool { isHeardNow.withLock { $0 } }

    /// From now on it is: it is no stranger.
    package func raise() { isHeardNow.withLock { $0 = true } }
}
