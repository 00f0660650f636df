public import Logging
public import MultipeerCertificates
public import MultipeerClock
public import MultipeerCrypto
public import MultipeerDriver

/// Options for carrying a link. `LinkConfiguration` has the options of the link itself.
public struct LinkOptions: Sendable {
    /// The source of every link's ephemeral key: a backend's system generator. A seeded source would repeat itself on
    /// each link.
    public var random: any RandomSource & Sendable
    /// How many bytes of events may wait for the app, messages, streams and files apart: credit bounds these (SPEC §13.3). At
    /// the high mark, reading from the transport stops; at the low mark, it continues. Only traces of records come near it.
    ///
    /// An event counts as its payload plus ``eventOverhead`` bytes.
    public var events = Watermarks(low: 131_072, high: 524_288)
    /// How many bytes of messages may wait to be sent. At the high mark, ``LinkConnection/send(_:)`` suspends; at the
    /// low mark, it continues.
    public var sends = Watermarks(low: 262_144, high: 1_048_576)
    /// The memory that peers may hold beyond what each has by right. By default all links of the process share it. A link
    /// takes no message that is longer than half of the memory for messages.
    public var memoryPools = MemoryPools.process
    /// How many offers of one identity the app is asked about in a minute; others are declined. By default all links of the
    /// process share the count.
    public var offers = OfferLimit.process
    /// How long an open link may make no progress while something waits for the peer: a local message or file that the
    /// peer does not take, accept or confirm, or one of the peer's of which less than 16 KiB arrive, in whole records.
    /// The link fails then with `LinkFailureCause.limit`. Nil waits for ever. Apps that ask a person about each file
    /// may need more than the default of a minute.
    public var stallTimeout: Duration? = .seconds(60)
    /// Whether a message that waits for the peer's credit counts as stalled as well. By default it does not: the peer's
    /// app may take its messages when it likes. A program that ends when all has been sent says true.
    public var countsCreditAsStall = false
    /// The validator that verifies peers. Without one the app does: it gets `LinkEffect.verify`,
    /// and answers with ``LinkConnection/submitVerdict(_:for:)``.
    public var validator: (any CertificateValidator)?
    /// How the link came about, for validators. `LinkConnector` and `LinkListener` set it; set it yourself where you put a
    /// link into a pipeline of your own.
    public var origin: PeerOrigin?
    /// What deadlines are measured by. With `ContinuousClock` the event loop measures them itself.
    public var clock: any SteadyClock = ContinuousClock()
    /// The logger for events of links, at debug level. Secrets and payload are never logged.
    public var logger: Logger?

    /// Creates options with default watermarks, without a validator and without a logger.
    public init(random: any RandomSource & Sendable) {
        self.random = random
    }

    /// The cost of an event in addition to its payload.
    public static let eventOverhead = DriverOptions.eventOverhead

    var driver: DriverOptions {
        var options = DriverOptions(random: random)
        options.events = events
        options.sends = sends
        options.memoryPools = memoryPools
        options.offers = offers
        options.stallTimeout = stallTimeout
        options.countsCreditAsStall = countsCreditAsStall
        options.validator = validator
        options.origin = origin
        return options
    }
}
