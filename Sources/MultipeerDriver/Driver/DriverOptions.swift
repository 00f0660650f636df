public import MultipeerCertificates
public import MultipeerCrypto

/// How a link is driven, beside what `LinkConfiguration` says about the link itself.
public struct DriverOptions: Sendable {
    /// The source of every link's ephemeral key: a backend's system generator. A seeded one repeats itself on each link.
    public var random: any RandomSource & Sendable
    /// How many bytes of events may wait for the app before the driver stops reading, and at how many it goes on.
    ///
    /// An event counts as its payload and ``eventOverhead`` bytes.
    public var events = Watermarks(low: 131_072, high: 524_288)
    /// How many bytes of messages may wait to be sent before ``SendQueue/send(_:isolation:)`` suspends, and at how many it
    /// goes on.
    public var sends = Watermarks(low: 262_144, high: 1_048_576)
    /// Judges peers. With a validator the driver answers `LinkEffect.verify` itself, and the app does not see it.
    public var validator: (any CertificateValidator)?

    /// Creates options with default watermarks and without a validator.
    public init(random: any RandomSource & Sendable) {
        self.random = random
    }

    /// What an event counts beside its payload, so that empty messages are bounded as well.
    public static let eventOverhead = 256
}
