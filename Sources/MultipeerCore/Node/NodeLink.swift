import MultipeerCrypto
import MultipeerWire

/// One of a node's links, and what the node knows of it. A class, because a table cannot hold noncopyable values.
final class NodeLink {
    /// How the link came to be.
    enum Origin {
        /// The peer connected.
        case accepted
        /// The app connected.
        case opened
        /// The node asked for the connection, to reach a member.
        case dialled(DialAttempt)
    }

    /// Why the local peer closed the link.
    enum Closing {
        /// The app wants it so, or left the session, or blocked the peer.
        case app
        /// Another link takes its place (SPEC §8.7).
        case duplicate
        /// Nobody needs it: no INVITE is on it.
        case unneeded
        /// The local peer has declined the remote peer's INVITE.
        case declined
        /// The peer has misbehaved on another link (R14.9-4).
        case offender
    }

    let number: LinkNumber
    let origin: Origin
    /// The peer that is expected, if one is.
    let expected: IdentityKey?
    /// Whether it does not leave this host.
    let isWithinHost: Bool
    /// When it was connected.
    let began: Instant
    /// The link, which the driver of its transport changes as well.
    let handle: LinkHandle
    var link: Link {
        _read { yield handle.link }
        _modify { yield &handle.link }
    }
    var state = State.idle
    /// The peer, once it has said its name.
    var peer: PeerID?
    var closing: Closing?
    /// Why the local peer has declined the remote peer's INVITE, if it has.
    var declined: DeclineReason?
    /// The chain of the peer's INVITE.
    var chain: [Admission] = []
    /// Whether the local app has accepted the peer's INVITE itself.
    var isAcceptedByApp = false
    var membership: LinkMembership?
    var untaken = UnconsumedCredit()
    // Kept by the table
    /// When something is due.
    var deadline: Instant?
    /// When the transport is given up, though the last bytes have not gone out.
    var flushDeadline: Instant?
    var isReady = false
    var isRemoved = false

    init(
        _ number: LinkNumber, _ link: consuming Link, in changes: ChangedLinks, origin: Origin, expected: IdentityKey?,
        isWithinHost: Bool, at now: Instant
    ) {
        self.number = number
        began = now
        handle = LinkHandle(link, number, in: changes)
        self.origin = origin
        self.expected = expected
        self.isWithinHost = isWithinHost
    }

    /// The link's next effect; nil when all are drained.
    func nextEffect() -> LinkEffect? { handle.nextEffect() }

    /// The key of the link's peer, as far as it is known or expected.
    var key: IdentityKey? { link.provedPeer ?? expected }

    /// Whether the node can still do something with it.
    var isAlive: Bool { closing == nil && !isEnded }

    /// Whether its end has been reported.
    var isEnded: Bool {
        switch state {
        case .idle: false
        case .preparing: false
        case .inviting: false
        case .invited: false
        case .agreed: false
        case .open: false
        case .over: true
        }
    }
}

// MARK: What the node knows

extension NodeLink {
    /// How far the node has come with the link.
    enum State {
        /// Nobody has invited.
        case idle
        /// A local INVITE goes out once the peer has proved its identity.
        case preparing(OwnInvitation)
        /// A local INVITE waits for its answer.
        case inviting(OwnInvitation)
        /// An INVITE of the peer waits for the local answer.
        case invited(PeerInvitation)
        /// An INVITE was accepted.
        case agreed(Agreement)
        /// The link is open.
        case open(Agreement)
        /// It has ended. What waits may still go out.
        case over
    }

    /// An INVITE of the local peer.
    struct OwnInvitation {
        let session: SessionID
        let invitation: OutgoingInvitation
        let kind: SessionKind
        /// The parameters of the session, which have to be equal for invitations to merge (R8.6-3).
        let parameters: [Field]
        /// When it was wanted.
        let since: Instant
        /// The one-time code that has to be right before it goes out (SPEC §25.7).
        var code: OneTimeCode?
        /// When an INVITE of the peer was first answered with DECLINE of reason 5 because of this one (R8.7-4).
        var supersededAt: Instant?

        /// Whether the session is a new one: INVITEs to new sessions meet (SPEC §8.7).
        var isNew: Bool { kind == .new }
    }

    /// An INVITE of the peer.
    struct PeerInvitation {
        let token: LinkToken
        let invitation: ReceivedInvitation

        var session: SessionID { invitation.session }
    }

    /// What was agreed on.
    struct Agreement {
        let session: SessionID
        let kind: SessionKind
        /// When the local INVITE was accepted; nil if it was the peer's.
        let ownAcceptedAt: Instant?
    }

    /// The local INVITE that waits for an answer.
    var waitingInvitation: OwnInvitation? {
        if case .inviting(let own) = state { own } else { nil }
    }

    /// What was agreed on, if an INVITE was accepted.
    var agreement: Agreement? {
        switch state {
        case .agreed(let agreement), .open(let agreement): agreement
        case .idle, .preparing, .inviting, .invited, .over: nil
        }
    }

    /// The session that the link is for, as far as there is one.
    var session: SessionID? {
        switch state {
        case .idle: nil
        case .preparing(let own): own.session
        case .inviting(let own): own.session
        case .invited(let invitation): invitation.session
        case .agreed(let agreement): agreement.session
        case .open(let agreement): agreement.session
        case .over: nil
        }
    }

    /// Whether the link is open, or an INVITE on it is answered or waits: the member is *linking* or *connected*
    /// (SPEC §14.10).
    var isUnderWay: Bool {
        switch state {
        case .idle: false
        case .preparing: false
        case .inviting: true
        case .invited: true
        case .agreed: true
        case .open: true
        case .over: false
        }
    }

    /// Whether no other INVITE may go out for the same session beside this link (R8.7-2).
    var forbidsInvitation: Bool {
        switch state {
        case .idle: false
        case .preparing: false
        case .inviting: true
        case .invited: false
        case .agreed: true
        case .open: true
        case .over: false
        }
    }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Whether an INVITE on it was accepted.
    var isAgreed: Bool {
        switch state {
        case .agreed, .open: true
        case .idle, .preparing, .inviting, .invited, .over: false
        }
    }

    /// Whether the link is for nothing else than a new session that the local peer founds.
    var isForNewSession: Bool {
        switch state {
        case .idle: false
        case .preparing(let own): own.isNew
        case .inviting(let own): own.isNew
        case .invited(let invitation): invitation.invitation.kind == .new
        case .agreed(let agreement): agreement.kind == .new
        case .open(let agreement): agreement.kind == .new
        case .over: false
        }
    }
}
