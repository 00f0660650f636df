import MultipeerCore
import NIOCore

/// What a timer calls.
protocol AlarmOwner: AnyObject {
    var eventLoop: any EventLoop { get }
    var clock: LoopClock { get }
    /// The moment has come.
    func alarmWentOff()
}

/// A timer on an event loop, for one moment at a time.
struct Alarm {
    private var pending: (moment: Instant, timer: LoopTimer)?

    /// Sets the timer, if the moment has changed. Nil turns it off.
    mutating func set(to moment: Instant?, for owner: any AlarmOwner) {
        guard moment != pending?.moment else { return }
        pending?.timer.cancel()
        pending = nil
        guard let moment else { return }
        pending = (moment, owner.clock.schedule(at: moment) { owner.alarmWentOff() })
    }

    /// The timer has gone off.
    mutating func wentOff() { pending = nil }
}
