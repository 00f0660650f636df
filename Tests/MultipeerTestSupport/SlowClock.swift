import MultipeerClock

/// A clock that runs at a tenth of the speed. For tests of many apps that need the product's pauses, and in which a busy computer must not
/// let its deadlines pass: a handshake that takes twelve seconds is no fault of the code.
package struct SlowClock: SteadyClock {
    private static let factor = 10
    private let start = ContinuousClock.now

    package init() {}

    package var now: ContinuousClock.Instant {
        start.advanced(by: start.duration(to: ContinuousClock.now) / Self.factor)
    }

    package var minimumResolution: Duration { ContinuousClock().minimumResolution }

    package func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(
            until: start.advanced(by: start.duration(to: deadline) * Self.factor), tolerance: nil)
    }
}
