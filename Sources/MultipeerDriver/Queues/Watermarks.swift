/// Two levels in bytes. Work stops at `high` and continues at `low`, so that it does not switch with every byte.
public struct Watermarks: Hashable, Sendable {
    /// Work continues at this level or below it.
    public let low: Int
    /// Work stops at this level or above it.
    public let high: Int

    /// Levels of a queue that nothing stops: nothing but its producer bounds the memory.
    public static let unbounded = Watermarks(low: 0, high: .max)

    /// Creates watermarks. `high` is raised to at least 1, and `low` is clamped to 0 through `high` − 1.
    public init(low: Int, high: Int) {
        self.high = max(high, 1)
        self.low = min(max(low, 0), self.high - 1)
    }
}
