/// How many bytes all paths of a process may send (R26.7-5), and how many packets a path may open (R26.4-4): so much in a second, and no
/// more than a burst at once.
package final class DatagramBudget {
    private let perSecond: Double
    private let burst: Double
    private var left: Double
    private var filledAt: Instant?

    package init(perSecond: Int, burst: Int) {
        (self.perSecond, self.burst, left) = (Double(perSecond), Double(burst), Double(burst))
    }

    /// Four million bytes in a second, of which a tenth may go at once.
    package static func ofProcess() -> DatagramBudget { DatagramBudget(perSecond: 4_000_000, burst: 400_000) }

    /// How many packets of one link are opened.
    static func ofOpening() -> DatagramBudget { DatagramBudget(perSecond: 4_000, burst: 1_024) }

    /// Takes an amount. Returns false, and takes nothing, if so much is not left.
    func take(_ amount: Int, at now: Instant) -> Bool {
        let (seconds, attoseconds) = now.duration(since: filledAt ?? now).components
        left = min(burst, left + (Double(seconds) + Double(attoseconds) / 1e18) * perSecond)
        filledAt = max(filledAt ?? now, now)
        guard left >= Double(amount) else { return false }
        left -= Double(amount)
        return true
    }
}
