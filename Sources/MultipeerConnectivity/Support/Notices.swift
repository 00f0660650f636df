import Multipeer
import Synchronization

/// Lines on standard error for the person who has brought an app from Apple's systems, where nothing else says why a peer is not there.
///
/// Peers can cause some of them, so there are 32 at once, and one more each minute.
enum Notices {
    struct Budget {
        static let burst = 32
        static let interval: Duration = .seconds(60)

        /// When the last line has been paid for.
        private var paid: ContinuousClock.Instant?
        private var leftOut = 0

        /// How many lines were left out before this one, or nil if it is left out too.
        mutating func take(at now: ContinuousClock.Instant) -> Int? {
            let next = max(paid ?? now, now).advanced(by: Self.interval)
            guard now.duration(to: next) <= Self.interval * Self.burst else {
                leftOut += 1
                return nil
            }
            paid = next
            defer { leftOut = 0 }
            return leftOut
        }
    }

    private static let budget = Mutex(Budget())

    /// Prints a line, which is escaped: it may have names of peers in it.
    static func print(_ text: String) {
        guard let leftOut = budget.withLock({ $0.take(at: ContinuousClock.now) }) else { return }
        let rest = leftOut == 0 ? "" : " (\(leftOut) lines like this were left out)"
        ProcessTerminal.warn(SafeText.escape("MultipeerConnectivity: \(text)") + rest)
    }
}
