public import MultipeerCertificates
package import MultipeerCore
public import MultipeerCrypto

/// Options for driving a link. `LinkConfiguration` has the options of the link itself.
public struct DriverOptions: Sendable {
    /// The source of every link's ephemeral key: a backend's system generator. A seeded source would repeat itself on
    /// each link.
    public var random: any RandomSource & Sendable
    /// How many bytes of events may wait for the app, messages, streams and files apart: credit bounds these (SPEC §13.3). At
    /// the high mark, the driver stops reading; at the low mark, it continues. Only traces of records come near it.
    ///
    /// An event counts as its payload plus ``eventOverhead`` bytes.
    public var events = Watermarks(low: 131_072, high: 524_288)
    /// How many bytes of messages may wait to be sent. At the high mark, ``SendQueue/send(_:isolation:)`` suspends; at
    /// the low mark, it continues.
    public var sends = Watermarks(low: 262_144, high: 1_048_576)
    /// The memory that peers may hold beyond what each has by right. By default all links of the process share it. A link
    /// takes no message that is longer than half of the memory for messages.
    public var memoryPools = MemoryPools.process
    /// How many offers of one identity the app is asked about in a minute; others are declined. By default all links of the
    /// process share the count.
    public var offers = OfferLimit.process
    /// What all paths of datagrams may send together (R26.7-5).
    package var datagrams = DatagramBudget.process
    /// How long an open link may make no progress while something waits for the peer: a local message or file that the
    /// transport does not take, or a file that the peer does not accept, continue or confirm, or of which less than 16
    /// KiB arrive, in whole records. The link fails then with `LinkFailureCause.limit`. Nil waits for ever. Apps that
    /// ask a person about each file may need more than the default of a minute.
    public var stallTimeout: Duration? = .seconds(60)
    /// Whether a message that waits for the peer's credit counts as stalled as well. By default it does not: the peer's
    /// app may take its messages when it likes. A program that ends when all has been sent says true.
    public var countsCreditAsStall = false
    /// The validator that verifies peers. With one, the driver answers `LinkEffect.verify` itself, and the app does not
    /// see that event.
    public var validator: (any CertificateValidator)?
    /// How the link came about, for validators. It identifies nobody.
    public var origin: PeerOrigin?

    /// Creates options with default watermarks and without a validator.
    public init(random: any RandomSource & Sendable) {
        self.random = random
    }

    /// The cost of an event in addition to its payload.
    public static let eventOverhead = 256
}
