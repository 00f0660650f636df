public import Logging
public import MultipeerCertificates
public import MultipeerCrypto
public import MultipeerDriver

/// How a link is carried, beside what `LinkConfiguration` says about the link itself.
public struct LinkOptions: Sendable {
    /// The source of every link's ephemeral key: a backend's system generator. A seeded one repeats itself on each link.
    public var random: any RandomSource & Sendable
    /// How many bytes of events may wait for the app before reading from the transport stops, and at how many it
    /// goes on.
    ///
    /// An event counts as its payload and ``eventOverhead`` bytes.
    public var events = Watermarks(low: 131_072, high: 524_288)
    /// How many bytes of messages may wait to be sent before ``LinkConnection/send(_:)`` suspends, and at how many
    /// it goes on.
    public var sends = Watermarks(low: 262_144, high: 1_048_576)
    /// Judges peers. Without a validator the app judges them: it gets ``MultipeerCore/LinkEffect/verify(_:_:)``, and
    /// answers by ``LinkConnection/submitVerdict(_:for:)``.
    public var validator: (any CertificateValidator)?
    /// The log of what happens to links, at debug level. It gets no secrets and no payload.
    public var logger: Logger?

    /// Creates options with default watermarks, without a validator and without a log.
    public init(random: any RandomSource & Sendable) {
        self.random = random
    }

    /// What an event counts beside its payload, so that empty messages are bounded as well.
    public static let eventOverhead = DriverOptions.eventOverhead

    var driver: DriverOptions {
        var options = DriverOptions(random: random)
        options.events = events
        options.sends = sends
        options.validator = validator
        return options
    }
}
