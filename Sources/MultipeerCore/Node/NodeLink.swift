import MultipeerCertificates
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
        /// The node asked for it, to continue an association.
        case resuming
    }

    /// Why the local peer closed the link.
    enum Closing {
        /// The app wants it so, or left the session, or blocked the peer.
        case app
        /// Another link takes its place (SPEC §8.7).
        case duplicate
        /// Its association continues over another link (R13.9-4).
        case moved
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
    /// Where the local peer has connected to, as far as that is known.
    let place: MemberAddress?
    /// The group of the app for which it is, as far as one is known.
    var group: GroupNumber?
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
    /// Whether READY has gone out.
    var isReadySent = false
    /// When the peer counts as a visitor, unless it has invited by then.
    var visitDue: Instant?
    /// A good verdict of the app, which waits for another link (R8.7-8).
    var heldVerdict: HeldVerdict?
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
        at place: MemberAddress?, isWithinHost: Bool, for group: GroupNumber?
    ) {
        self.place = place
        self.number = number
        self.group = group
        handle = LinkHandle(link, number, in: changes)
        self.origin = origin
        self.expected = expected
        self.isWithinHost = isWithinHost
    }

    /// Whether the local peer speaks of a session on the link, and the remote one is a neighbour there.
    func isNeighbour(in membership: Membership) -> Bool {
        guard let part = self.membership else { return false }
        return part.own.membership === membership && part.own.isNeighbour
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
        case .planned: false
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
        /// The app has asked for an INVITE that may not go out yet.
        case planned(Plan)
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

    /// An invitation of the app that waits. Nothing of it counts before it goes out.
    struct Plan {
        let session: SessionID
        let terms: SessionTerms
        let context: [UInt8]
        let code: OneTimeCode?
        /// Until when it waits.
        let deadline: Instant
    }

    /// An INVITE of the local peer.
    struct OwnInvitation {
        let session: SessionID
        let invitation: OutgoingInvitation
        let kind: SessionKind
        /// The one-time code that has to be right before it goes out (SPEC §25.7), until it is tried.
        var code: OneTimeCode?
        /// Whether there is, or was, such a code.
        let needsCode: Bool

        init(session: SessionID, invitation: OutgoingInvitation, kind: SessionKind, code: OneTimeCode? = nil) {
            (self.session, self.invitation, self.kind, self.code) = (session, invitation, kind, code)
            needsCode = code != nil
        }
    }

    /// An INVITE of the peer.
    struct PeerInvitation {
        let token: LinkToken
        let invitation: ReceivedInvitation
        /// Grows in the order in which INVITEs come.
        let order: UInt64
        let came: Instant
        var wait = Wait.nothing

        /// What the INVITE waits for.
        enum Wait {
            case nothing
            /// The answer of the app.
            case app
            /// The end of another link, which is open (R8.7-7). If the app has accepted already, with these terms.
            case link(SessionTerms?)
        }

        var isAsked: Bool { if case .app = wait { true } else { false } }
        var isHeld: Bool { if case .link = wait { true } else { false } }
        /// Whether the app has accepted it, and the answer waits.
        var isAccepted: Bool {
            if case .link(let terms) = wait { terms != nil } else { false }
        }
        var session: SessionID { invitation.session }
    }

    /// What was agreed on.
    struct Agreement {
        let session: SessionID
        let kind: SessionKind
        /// The order of the peer's INVITE among all; nil if the local one was accepted.
        let peerOrder: UInt64?
    }

    /// A good verdict that is not given yet.
    struct HeldVerdict {
        let verdict: Verdict
        let token: LinkToken
        /// Until when another link may open.
        let deadline: Instant
    }

    /// When an invitation of the app waits no longer, or a peer that has connected and does not invite is a visitor.
    var waitDeadline: Instant? {
        switch state {
        case .idle: visitDue
        case .planned(let plan): plan.deadline
        case .preparing, .inviting, .invited, .agreed, .open, .over: nil
        }
    }

    /// The local INVITE that waits for an answer.
    var waitingInvitation: OwnInvitation? {
        if case .inviting(let own) = state { own } else { nil }
    }

    /// What was agreed on, if an INVITE was accepted.
    var agreement: Agreement? {
        switch state {
        case .agreed(let agreement), .open(let agreement): agreement
        case .idle, .planned, .preparing, .inviting, .invited, .over: nil
        }
    }

    /// The session that the link is for, as far as there is one.
    var session: SessionID? {
        switch state {
        case .idle, .planned: nil
        case .preparing(let own): own.session
        case .inviting(let own): own.session
        case .invited(let invitation): invitation.session
        case .agreed(let agreement): agreement.session
        case .open(let agreement): agreement.session
        case .over: nil
        }
    }

    /// To which group the link belongs; nil without an INVITE (SPEC §8.7).
    var affiliation: Affiliation? { session.map { Affiliation(group: group, session: $0) } }

    /// The peer's INVITE, unless it has been answered.
    var peerInvitation: PeerInvitation? {
        if case .invited(let invitation) = state { invitation } else { nil }
    }

    /// The order of the peer's INVITE on a link that is not open.
    var peerOrder: UInt64? {
        switch state {
        case .invited(let invitation): invitation.order
        case .agreed(let agreement): agreement.peerOrder
        case .idle, .planned, .preparing, .inviting, .open, .over: nil
        }
    }

    /// Whether the link is open, or an INVITE on it is answered or waits: the member is *linking* or *connected*
    /// (SPEC §14.10).
    var isUnderWay: Bool {
        switch state {
        case .idle, .planned: false
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
        case .idle, .planned: false
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
        case .idle, .planned, .preparing, .inviting, .invited, .over: false
        }
    }
}
