import Glibc
import Synchronization

/// A request to end the command, by SIGINT, SIGTERM or SIGHUP, or by closing its output.
package final class Interruption: Sendable {
    private struct State {
        var status: ExitStatus?
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    /// Watches signals and `output` for as long as the returned watch lives.
    /// - Parameter chance: Says what a second Ctrl-C means, for a command to which it means something.
    package func watch(_ output: Output, _ chance: LastChance? = nil) -> SignalWatch? {
        output.whenBroken { [self] in trigger(.outputClosed) }
        return SignalWatch(reportsTwice: chance != nil) { [self] number in
            let end: @Sendable () -> Void = { [self] in
                output.hurry()
                trigger(ExitStatus(signal: number))
            }
            // A second one that comes when the command ends already, ends it at once.
            guard number == SIGINT, let chance else { return end() }
            guard status == nil else { return SignalWatch.raise(number) }
            chance.press(output, end)
        }
    }

    /// The exit status of the interruption, or nil if there was none.
    package var status: ExitStatus? { state.withLock(\.status) }

    /// Sets the action for an interruption. If it has already happened, the action runs at once.
    package func whenTriggered(_ action: @escaping @Sendable () -> Void) {
        let isTriggered = state.withLock { state in
            state.action = action
            return state.status != nil
        }
        if isTriggered { action() }
    }

    private func trigger(_ status: ExitStatus) {
        let action: (@Sendable () -> Void)? = state.withLock { state in
            guard state.status == nil else { return nil }
            state.status = status
            return state.action
        }
        action?()
    }
}
