import Foundation
import Synchronization

/// The run loops on which a stream is scheduled, and what is reported on them.
///
/// Each has a timer that fires when there is something to report: it keeps the run loop running, as a source of input
/// does, and to set its date wakes the loop up from any thread.
final class StreamSchedule: Sendable {
    /// Unchecked, because Foundation's classes do not say that they are: Core Foundation locks both objects, and the rest is in a Mutex.
    private struct Place: @unchecked Sendable {
        let loop: RunLoop
        let mode: RunLoop.Mode
        let timer: Timer
    }

    private struct State {
        var places: [Place] = []
        var isOver = false
    }

    private let state = Mutex(State())

    /// How many events are reported at a time. Then the run loop's other sources have their turn.
    private static let atOnce = 64

    /// - Parameter deliver: Tells one event, on the run loop's thread. Returns false if there is none.
    func add(_ loop: RunLoop, _ mode: RunLoop.Mode, _ deliver: @escaping @Sendable () -> Bool) {
        let timer = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { timer in
            guard deliver() else { return }
            // A run loop returns to `run(mode:before:)` when a source of input was handled, and not for a timer.
            defer { RunLoop.current._stop() }
            for _ in 1..<Self.atOnce { guard deliver() else { return } }
            timer.fireDate = Date()
        }
        let place = Place(loop: loop, mode: mode, timer: timer)
        let isAdded = state.withLock { state in
            guard !state.isOver, !state.places.contains(where: { $0.loop === place.loop && $0.mode == place.mode })
            else {
                return false
            }
            state.places.append(place)
            return true
        }
        guard isAdded else { return }
        loop.add(timer, forMode: mode)
        // There may be something to tell already.
        signal()
    }

    func remove(_ loop: RunLoop, _ mode: RunLoop.Mode) {
        let wanted = Carried(loop)
        let removed = state.withLock { state in
            let removed = state.places.filter { $0.loop === wanted.value && $0.mode == mode }
            state.places.removeAll { $0.loop === wanted.value && $0.mode == mode }
            return removed
        }
        for place in removed { place.timer.invalidate() }
    }

    /// There is something to tell, on any of the run loops.
    func signal() {
        for place in state.withLock({ $0.places }) { place.timer.fireDate = Date() }
    }

    /// Nothing is reported any more.
    func end() {
        let places = state.withLock { state in
            state.isOver = true
            defer { state.places = [] }
            return state.places
        }
        for place in places { place.timer.invalidate() }
    }
}
