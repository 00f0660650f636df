import MultipeerCrypto
public import MultipeerWire

/// What a node needs to know.
public struct NodeConfiguration: Sendable {
    /// What each link is made with. The node says which peer it expects.
    public var link: LinkConfiguration
    /// What the local peer brings into links between members, which it accepts by itself (R14.8-2).
    public var memberTerms: SessionTerms
    /// Where the local peer listens, the best first. At most eight are announced.
    public var addresses: [MemberAddress] = []
    /// Which addresses of others are dialled.
    public var addressRules = AddressRules()
    /// The time at which the node begins, in milliseconds since 1970; nil without a clock (SPEC §14.7).
    public var milliseconds: UInt64?
    /// The greatest number of members of one session with which the local peer has links. Further ones are declined
    /// (SPEC §14.8).
    public var maximumLinks = 255
    /// Whether the app is asked before a member of a session of its own gets a link.
    public var asksAboutMembers = false
    /// Whether a group of the app enters the lesser session of a member of its own (SPEC §14.11).
    public var followsUnions = true
    /// How long an association waits for another link when its link is lost, up to ``longestGrace``. The default is that it ends with its
    /// link; 60 s is usual (SPEC §13.9).
    public var grace: Duration = .zero
    /// The longest such time.
    public static let longestGrace: Duration = .seconds(600)
    /// How long a peer that connects may take to invite, before the app hears that it waits to be invited (``NodeEffect/visited(_:)``);
    /// nil if the app does not hear of that.
    public var courtesy: Duration?
    /// How many peers that connect may be without PROOF at once. A further one takes the place of the oldest (SPEC §19). It is the last
    /// bound: listeners that know addresses have smaller ones of their own.
    public var maximumHandshakes = 1_024

    /// Creates a configuration with the defaults of SPEC §14 and §19.
    public init(link: LinkConfiguration, memberTerms: SessionTerms = SessionTerms()) {
        self.link = link
        self.memberTerms = memberTerms
    }

    /// What the local peer says of itself in entries. A name that is shown to some peers only is in no entry: entries
    /// travel.
    var shown: ShownMember {
        ShownMember(
            name: link.showNameOnlyTo == nil ? link.displayName.utf8Bytes : [], addresses: addresses)
    }
}

/// What a node was given. A class, so that the noncopyable node holds no existential (docs/decisions/0004).
final class NodeEnvironment {
    var configuration: NodeConfiguration
    let random: SharedRandomSource
    let clock: WallClock

    init(_ configuration: NodeConfiguration, random source: any RandomSource, now: Instant) {
        self.configuration = configuration
        random = SharedRandomSource(source)
        let chance = random.number(below: 1 << 32)
        clock = WallClock(milliseconds: configuration.milliseconds ?? UInt64(chance), start: now)
    }

    /// The node's identity key.
    var key: IdentityKey { configuration.link.identity.identityKey }
    var crypto: CryptoProvider { configuration.link.crypto }
}

/// One source for a node and all of its links: a copy of a source that has a state would say the same twice.
final class SharedRandomSource: RandomSource {
    private var source: any RandomSource

    init(_ source: any RandomSource) {
        self.source = source
    }

    func fill(_ bytes: inout MutableSpan<UInt8>) { source.fill(&bytes) }

    func bytes(_ count: Int) -> [UInt8] { source.bytes(count) }

    /// A number below `bound`, which must be positive. Its slight preference for small ones does no harm here.
    func number(below bound: Int) -> Int {
        let word = bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(word % UInt64(bound))
    }
}
