import MultipeerClock
import MultipeerCore
import NIOCore

/// The time and the timers of the work on one event loop.
///
/// With `ContinuousClock` they are the loop's own. With another clock, such as one that a test advances, a timer sleeps on that clock and
/// hops to the loop.
struct LoopClock {
    private let eventLoop: any EventLoop
    /// Nil for the loop's own time.
    private let clock: (any SteadyClock)?

    init(_ clock: any SteadyClock, on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.clock = clock is ContinuousClock ? nil : clock
    }

    /// A node and its links compare their instants, so all count from the same moment: a day before this one, because an instant is
    /// never negative, and a test's clock may have been read earlier.
    private static let start = ContinuousClock.now.advanced(by: .seconds(-86_400))

    var now: Instant {
        guard let clock else { return Instant(eventLoop.now) }
        return Instant(nanoseconds: 0).advanced(by: Self.start.duration(to: clock.now))
    }

    /// Calls `body` on the loop when the moment has come. To be called on the loop.
    func schedule(at moment: Instant, _ body: @escaping () -> Void) -> LoopTimer {
        guard let clock else {
            let work = NIOLoopBound(body, eventLoop: eventLoop)
            return .loop(eventLoop.scheduleTask(deadline: NIODeadline(moment)) { work.value() })
        }
        let deadline = Self.start.advanced(by: moment.duration(since: Instant(nanoseconds: 0)))
        let call = NIOLoopBound(LoopTimer.Call(body), eventLoop: eventLoop)
        let task = Task { [eventLoop] in
            guard (try? await clock.sleep(until: deadline, tolerance: nil)) != nil else { return }
            eventLoop.execute { call.value.make() }
        }
        return .clock(task, call)
    }
}

/// Work that waits for its moment (``LoopClock/schedule(at:_:)``).
enum LoopTimer {
    case loop(Scheduled<Void>)
    case clock(Task<Void, Never>, NIOLoopBound<Call>)

    /// The work does not happen any more. To be called on the loop.
    func cancel() {
        switch self {
        case .loop(let scheduled): scheduled.cancel()
        case .clock(let task, let call):
            // The moment may have come, and the call may be on its way to the loop.
            call.value.cancel()
            task.cancel()
        }
    }

    /// A call that happens once, or not at all.
    final class Call {
        private var body: (() -> Void)?

        init(_ body: @escaping () -> Void) { self.body = body }

        func make() { body.take()?() }
        func cancel() { body = nil }
    }
}
