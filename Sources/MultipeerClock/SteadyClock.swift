/// A clock that never goes backwards, from which code above the core takes its time.
///
/// Programs use `ContinuousClock`. Tests pass a clock that they advance themselves, so that no test waits for real time or measures it.
/// All such clocks share one type of instant, so that `any SteadyClock` can be stored and asked.
///
/// The core takes no clock: it is told the time with each input (SPEC §17).
public protocol SteadyClock: Clock where Instant == ContinuousClock.Instant {}

extension ContinuousClock: SteadyClock {}
