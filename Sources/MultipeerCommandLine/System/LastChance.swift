package import MultipeerClock
import MultipeerTerminal
package import MultipeerWire
import Synchronization

/// What Ctrl-C means while files are on their way: pressed once, the peer keeps what has arrived, so that the same
/// command continues later; pressed again soon after, it is given up for good.
package final class LastChance: Sendable {
    /// How long the second press is waited for.
    package static let window: Duration = .seconds(2)

    private struct State {
        var underWay = 0
        var presses = 0
    }

    private let state = Mutex(State())
    private let clock: any SteadyClock

    package init(clock: any SteadyClock = ContinuousClock()) { self.clock = clock }

    /// What the peer hears of files that the command gives up.
    package var reason: FileCancel.Reason { state.withLock { $0.presses > 1 } ? .cancelled : .interrupted }

    /// The peer has taken a file.
    package func begin() { state.withLock { $0.underWay += 1 } }

    /// The file has come to its end.
    package func end() { state.withLock { $0.underWay -= 1 } }

    /// Ctrl-C was pressed.
    /// - Parameter end: Ends the command. It is called at once, or when a second press has been waited for.
    func press(_ output: Output, _ end: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            // Without a terminal nobody presses anything twice, and where nothing is under way nothing is thrown away.
            guard state.underWay > 0, StandardStream.error.isTerminal, !output.isJSON else { return false }
            state.presses += 1
            return state.presses == 1
        }
        guard isFirst else { return end() }
        output.note { palette in
            palette.yellow("stopping:")
                + " the receiver keeps what has arrived, and the same command continues later. Ctrl-C again within "
                + "2 seconds throws it away."
        }
        Task { [clock] in
            try? await clock.sleep(for: Self.window)
            end()
        }
    }
}
