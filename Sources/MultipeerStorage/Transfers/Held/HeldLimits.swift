/// How much of unfinished files is held (R15.7-5).
public struct HeldLimits: Hashable, Sendable {
    /// The number of beginnings of one sender. Its oldest ones give way to its new ones.
    public var countOfSender = 64
    /// The number of bytes of one sender, the whole of what it offers counted.
    public var bytesOfSender: UInt64 = 274_877_906_944
    /// The number of beginnings of all senders. Where it is met, no new ones are held.
    public var count = 1_024
    /// The number of bytes of all senders. Where it is met, no new ones are held.
    public var bytes: UInt64 = 1_099_511_627_776
    /// How many seconds after the last byte a beginning is removed: a week.
    public var age: Int64 = 7 * 86_400

    /// Creates the default limits.
    public init() {}
}
