import MultipeerCore
import NIOCore

/// What a timer calls.
protocol AlarmOwner: AnyObject {
    var eventLoop: any EventLoop { get }
    /// The moment has come.
    func alarmWentOff()
}

/// A timer on an event loop, for one moment at a time.
struct Alarm {
    private var pending: (moment: Instant, task: Scheduled<Void>)?

    /// Sets the timer, if the moment has changed. Nil turns it off.
    mutating func set(to moment: Instant?, for owner: any AlarmOwner) {
        guard moment != pending?.moment else { return }
        pending?.task.cancel()
        pending = nil
        guard let moment else { return }
        let bound = NIOLoopBound(owner, eventLoop: owner.eventLoop)
        let task = owner.eventLoop.scheduleTask(deadline: NIODeadline(moment)) { bound.value.alarmWentOff() }
        pending = (moment, task)
    }

    /// The timer has gone off.
    mutating func wentOff() { pending = nil }
}
