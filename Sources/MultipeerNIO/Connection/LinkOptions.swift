public import Logging
public import MultipeerCrypto

/// How a link is carried, beside what `LinkConfiguration` says about the link itself.
public struct LinkOptions: Sendable {
    /// Where every link's ephemeral key comes from: a backend's system generator. A seeded one repeats itself on each link.
    public var random: any RandomSource & Sendable
    /// How many bytes of events may wait for the app before reading from the transport stops, and below which it goes on.
    ///
    /// An event counts as its payload and ``eventOverhead`` bytes.
    public var events = Watermarks(low: 131_072, high: 524_288)
    /// How many bytes of messages may wait to be sent before ``LinkConnection/send(_:)`` suspends, and below which it goes on.
    public var sends = Watermarks(low: 262_144, high: 1_048_576)
    /// Where links say what happens, at debug level. Never secrets, never payload.
    public var logger: Logger?

    /// Joins what has no default.
    public init(random: any RandomSource & Sendable) {
        self.random = random
    }

    /// What an event counts beside its payload, so that empty messages are bounded as well.
    public static let eventOverhead = 256
}

/// Two levels in bytes: work stops at `high`, and goes on at `low`, lest it stop and go on with every byte.
public struct Watermarks: Hashable, Sendable {
    /// Work goes on at this level or below it.
    public let low: Int
    /// Work stops at this level or above it.
    public let high: Int

    /// Takes levels as they are meant: `high` is at least 1, and `low` lies within 0 and `high` − 1.
    public init(low: Int, high: Int) {
        self.high = max(high, 1)
        self.low = min(max(low, 0), self.high - 1)
    }
}
