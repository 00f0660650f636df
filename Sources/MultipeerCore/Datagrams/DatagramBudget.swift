import Synchronization

/// How many bytes all paths of a process may send (R26.7-5): so many in a second, and a tenth of them at once.
package final class DatagramBudget: Sendable {
    /// That of this process.
    package static let process = ofProcess()

    private let rest: Mutex<DatagramAllowance>

    package init(perSecond: Int, burst: Int) { rest = Mutex(DatagramAllowance(perSecond: perSecond, burst: burst)) }

    /// One as a process has it, shared with nobody.
    package static func ofProcess() -> DatagramBudget { DatagramBudget(perSecond: 4_000_000, burst: 400_000) }

    /// Takes a number of bytes. Returns false, and takes nothing, if so many are not left.
    func take(_ count: Int, at now: Instant) -> Bool { rest.withLock { $0.take(count, at: now) } }
}

/// So much in a second, and no more than a burst at once.
struct DatagramAllowance {
    private let perSecond: Double
    private let burst: Double
    private var left: Double
    private var filledAt: Instant?

    init(perSecond: Int, burst: Int) {
        (self.perSecond, self.burst, left) = (Double(perSecond), Double(burst), Double(burst))
    }

    /// How many packets of one link are opened (R26.4-4).
    static var ofOpening: DatagramAllowance { DatagramAllowance(perSecond: 4_000, burst: 1_024) }

    /// Takes an amount. Returns false, and takes nothing, if so much is not left.
    mutating func take(_ amount: Int, at now: Instant) -> Bool {
        let (seconds, attoseconds) = now.duration(since: filledAt ?? now).components
        left = min(burst, left + (Double(seconds) + Double(attoseconds) / 1e18) * perSecond)
        filledAt = max(filledAt ?? now, now)
        guard left >= Double(amount) else { return false }
        left -= Double(amount)
        return true
    }
}
