public import MultipeerCertificates
public import MultipeerCore
public import MultipeerCrypto
import MultipeerDriver
public import MultipeerWire

/// The mind and the memory of the person who uses a simulated host.
public struct SimulatedApp {
    /// What it accepts invitations with; nil: it leaves them without an answer.
    public var terms: SessionTerms? = SessionTerms(encryption: .optional)
    /// Whether it declines every invitation that it is asked about.
    public var declines = false
    /// How it judges peers; nil: not at all.
    public var verdict: Verdict? = .accepted(.unverified)
    /// The peers that it rejects, whatever the verdict on others is.
    public var rejected: Set<IdentityKey> = []
    /// Whether it takes messages as soon as they come. Others wait until ``Simulator/takeMessages(_:)``.
    public var takesMessages = true
    /// The messages that wait to be taken. Their peers have less credit meanwhile.
    var untaken: [ReceiptedEvent] = []

    /// What it has heard of members.
    public enum Event: Hashable, Sendable {
        case connected(IdentityKey, isReplacement: Bool)
        case reconnecting(IdentityKey)
        case departed(IdentityKey, Departure)
        case contradiction(IdentityKey)
        case twinSuspected
        case placeLost
        /// Its program began anew, and knows nothing of what it heard before.
        case restarted
    }

    /// What it has heard, in order.
    public internal(set) var events: [Event] = []
    /// What it has heard of codes and short strings.
    public internal(set) var verifications: [(link: LinkNumber, event: VerificationEvent)] = []
    /// The ends of departures, in order.
    public internal(set) var ends: [(member: IdentityKey, end: LinkEnd)] = []
    /// The links on which its invitation could not go out.
    public internal(set) var notInvited: Set<LinkNumber> = []
    /// What has become of the calls of this program. Each has one outcome.
    public internal(set) var calls: [LinkNumber: [CallOutcome]] = [:]

    /// The app has made a call, whose outcome may have come already.
    mutating func noteCall(on link: LinkNumber) { calls[link] = calls[link] ?? [] }
    /// How links have ended, in order.
    public internal(set) var closed: [(link: LinkNumber, end: LinkEnd)] = []
    /// The sessions in which members were reported as connected and not as departed since: what the app shows.
    public internal(set) var shown: [IdentityKey: SessionID] = [:]
    /// The members whose connections are lost, and may come back: over which link they were.
    public internal(set) var lost: [IdentityKey: LinkNumber] = [:]
    /// The sessions that it has founded or entered, or has heard of, also before its program began anew.
    var known: Set<SessionID> = []
    /// The messages that came, by their sender, in order.
    public internal(set) var received: [IdentityKey: [[UInt8]]] = [:]
    /// What it sent.
    public internal(set) var sent: [Sent] = []
    /// The peers of the links that have been open.
    var peers: [LinkNumber: IdentityKey] = [:]
    /// Invitations that it was asked about and has not answered.
    public internal(set) var questions: [LinkNumber] = []
    /// The kinds of invitations that it was asked about.
    public internal(set) var asked: [SessionKind] = []

    /// A message that it sent.
    public struct Sent {
        public let to: IdentityKey
        public let message: [UInt8]
        /// The run of its program.
        let run: Int
        let place: SentMessage

        /// What became of it; nil while nobody knows.
        public var result: MessageResult? { place.result }

        /// Whether its receiver may have got it so often.
        func permits(copies: Int) -> Bool {
            switch result {
            case .delivered: copies == 1
            case .notSent: copies == 0
            case .inDoubt, nil: copies <= 1
            }
        }
    }

    /// The number that a message of the simulation begins with.
    static func number(_ message: [UInt8]) -> Int {
        message.prefix { $0 != 0x20 }.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    /// Accepts everybody, without encryption being required.
    public init() {}

    /// How often a member's departure was reported, and why.
    public func departures(of member: IdentityKey) -> [Departure] {
        events.compactMap { if case .departed(member, let why) = $0 { why } else { nil } }
    }

    /// How often a member was connected anew.
    public func connections(of member: IdentityKey) -> Int {
        events.count { if case .connected(member, false) = $0 { true } else { false } }
    }

    func verdict(on peer: IdentityKey) -> Verdict? {
        rejected.contains(peer) ? .rejected(.refusedByApplication) : verdict
    }
}
