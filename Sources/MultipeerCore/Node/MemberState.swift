import MultipeerCrypto
public import MultipeerWire

/// What one member knows of another, in one session (SPEC §14.10).
public enum MemberState: Hashable, Sendable, CaseIterable {
    /// There is no entry of it.
    case unknown
    /// Its entry says that it is present.
    case known
    /// Its entry says that it has left.
    case gone
    /// A link to it is under way.
    case linking
    /// A link to it is open.
    case connected
    /// The link to it was lost, and another one may continue it.
    case reconnecting
    /// One of the two peers refuses the other.
    case refused
    /// It broke a rule in a frame of its own.
    case misbehaved
}

/// What an app is shown of a member.
public struct MemberInfo: Hashable, Sendable {
    /// The state of the member.
    public let state: MemberState
    /// What its entry calls it: empty without an entry, or where it does not show its name.
    public let name: [UInt8]
    /// Where it listens, by its entry.
    public let addresses: [MemberAddress]
    /// Its open link.
    public let link: LinkNumber?
}

/// Why a member is not dialled by itself (R14.9-3).
enum Avoidance: Hashable {
    /// One of the two peers said no. By a DECLINE of reason 7 that the local peer sent, if `isFull`.
    case refused(isFull: Bool)
    /// One of the two peers closed a link in good order.
    case closed
    /// It said `duplicate_link`, and there is no other link.
    case unexplainedDuplicate

    /// Whether the member's state is *refused*.
    var isRefusal: Bool {
        switch self {
        case .refused: true
        case .closed: false
        case .unexplainedDuplicate: false
        }
    }
}

/// What a session remembers of a member beside its entry.
struct MemberRecord {
    /// Why it is not dialled (R14.9-3).
    var avoidance: Avoidance?
    /// Of which run of the member that was. Nil while there is no entry.
    var avoidedInstance: UInt64?
    /// Whether the app was told that it is connected, and of no departure since.
    var isShownConnected = false
    /// Whether the local app has asked for it, and has not turned it away since: its admitter does not matter then
    /// (R14.9-5).
    var isAskedFor = false
    /// Whether there has been an open link to it.
    var hasBeenLinked = false
    /// When the last link that was under way ended.
    var lastEnd: Instant?
    /// Since when there has been no open link; nil while there is one.
    var unlinkedSince: Instant?
    var plan = DialPlan()

    /// A link to it is open: what stood against dialling it is over (SPEC §14.10).
    mutating func noteLink() {
        hasBeenLinked = true
        (unlinkedSince, avoidance) = (nil, nil)
        plan.renew()
    }

    /// An entry has come. A new run of its program lifts what the last one has met.
    mutating func heard(ofInstance instance: UInt64) {
        guard avoidance != nil else { return }
        if let avoidedInstance, avoidedInstance < instance { avoidance = nil }
        avoidedInstance = instance
    }
}
