/// Two levels in bytes: work stops at `high` and goes on at `low`, so that it does not stop and go on with every byte.
public struct Watermarks: Hashable, Sendable {
    /// Work goes on at this level or below it.
    public let low: Int
    /// Work stops at this level or above it.
    public let high: Int

    /// Creates a pair of levels. `high` is raised to at least 1, and `low` is brought into 0 to `high` − 1.
    public init(low: Int, high: Int) {
        self.high = max(high, 1)
        self.low = min(max(low, 0), self.high - 1)
    }
}
