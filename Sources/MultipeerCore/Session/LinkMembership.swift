import MultipeerCrypto
import MultipeerWire

/// A member's part in one link: in which session each of its directions is, and how they move to a lesser one (SPEC §14.11). The
/// node makes it before the link opens; the link hands it the frames of §14, in their order.
final class LinkMembership {
    /// How many UNITEs go out on a link within 60 s (R14.11-1).
    private static let uniteRate = 16

    /// How many sessions are remembered that the peer may enter (R14.11-6).
    private static let mostOffers = 32

    let peer: IdentityKey
    private let group: SessionGroup
    private let isWithinHost: Bool
    /// The session of the local peer's direction, and of the remote peer's.
    private(set) var own: SessionExchange
    private(set) var remote: SessionExchange
    /// The sessions for which UNITE or ENTER has gone out, and that ENTER of the peer may name (R14.11-6).
    private var offered: [SessionID: SessionExchange] = [:]
    /// The session of the last UNITE.
    private var lastOffer: SessionID?
    private var sentUnites = RateWindow(limit: uniteRate)
    /// Whether the link was resumed: UNITE may be one that is sent again (R14.11-2).
    private var isResumed = false

    init(
        _ membership: Membership, in group: SessionGroup, peer: IdentityKey, admission: SessionExchange.AdmitPart,
        isWithinHost: Bool
    ) {
        self.peer = peer
        self.group = group
        self.isWithinHost = isWithinHost
        own = SessionExchange(membership, peer: peer, admission: admission, isWithinHost: isWithinHost)
        own.isOwnDirection = true
        remote = own
    }

    /// Another link continues the association: the sessions of both directions stay what they are, and what has been offered (R13.9-6).
    /// All else is said anew (R13.9-8).
    init(continuing other: LinkMembership) {
        (peer, group, isWithinHost) = (other.peer, other.group, other.isWithinHost)
        own = SessionExchange(continuing: other.own)
        remote = other.remote === other.own ? own : SessionExchange(continuing: other.remote)
        for (session, exchange) in other.offered {
            offered[session] =
                exchange === other.own
                ? own : exchange === other.remote ? remote : SessionExchange(continuing: exchange)
        }
        (lastOffer, sentUnites, isResumed) = (other.lastOffer, other.sentUnites, true)
    }

    /// Whether the peer is a neighbour in the session of its direction.
    var isNeighbour: Bool { remote.isNeighbour }

    // MARK: What is sent

    /// The link is open.
    func open(into control: inout ControlQueue, at now: Instant) { own.open(into: &control, at: now) }

    /// UNITE goes out, if the home of the group is less than the session of the local peer's direction, and nothing forbids it
    /// (R14.11-1).
    /// - Parameters:
    ///   - home: The membership in the home.
    ///   - admission: The signature by which the local peer admits the remote one there; nil if it may not.
    ///   - isAgain: Whether it may go out once more for the same home.
    func sendUnite(
        for home: Membership, admission: [UInt8], into control: inout ControlQueue, at now: Instant
    ) {
        guard let chain = home.chain, sentUnites.take(1, at: now) == 1 else { return }
        lastOffer = home.session.id
        let exchange = exchange(in: home)
        if !admission.isEmpty { exchange.noteAdmission() }
        control.append(
            Unite(charter: home.session.charter, chain: chain.admissions, admission: admission))
    }

    /// Whether UNITE is to go out for the home of the group (R14.11-1).
    /// - Parameter isAgain: Whether it may have gone out for this home.
    func owesUnite(for home: Membership, isAgain: Bool) -> Bool {
        let current = own.membership.session
        return home.session.id < current.id && isNeighbour && own.hasSentOwn
            && (isAgain || lastOffer != home.session.id)
            && current.mayUnite(with: home.session)
    }

    /// Whether UNITE has gone out for a session, or ENTER.
    func hasOffered(_ session: SessionID) -> Bool { offered[session] != nil }

    private func exchange(in membership: Membership) -> SessionExchange {
        let id = membership.session.id
        if let known = offered[id] { return known }
        let exchange = SessionExchange(membership, peer: peer, admission: .none, isWithinHost: isWithinHost)
        offered[id] = exchange
        // The greatest are the oldest: a peer that never moves is not remembered more of.
        if offered.count > Self.mostOffers, let oldest = offered.keys.filter({ $0 != own.session }).max() {
            offered[oldest] = nil
        }
        return exchange
    }

    /// The local peer's direction moves to a lesser session (R14.11-5).
    private func enter(_ membership: Membership, into control: inout ControlQueue, at now: Instant) {
        control.append(Enter(session: membership.session.id.rawBytes))
        own.isOwnDirection = false
        own = exchange(in: membership)
        own.isOwnDirection = true
        own.open(into: &control, at: now)
    }

    // MARK: What comes

    /// Takes a frame of §14. What answers it goes into `control`.
    func receive(
        _ frame: borrowing RawFrame, type: FrameType, at now: Instant, into control: inout ControlQueue
    ) throws(LinkFailureCause) {
        switch type {
        case .admit: try remote.receive(try frame.decode(Admit.self), at: now)
        case .roster:
            let wasNeighbour = isNeighbour
            try remote.receive(try frame.decode(RosterFrame.self), at: now, into: &control)
            if isNeighbour, !wasNeighbour { group.noteChange() }
        case .digest, .summary, .want:
            guard remote === own else { return try type.check(frame) }
            try remote.receive(frame, type: type, at: now, into: &control)
        case .unite: try receive(try frame.decode(Unite.self), at: now, into: &control)
        case .enter: try receive(try frame.decode(Enter.self), at: now, into: &control)
        default: throw frame.unexpected
        }
    }

    /// UNITE: whether the local peer follows, the group decides (R14.11-2, R14.11-3).
    private func receive(_ unite: Unite, at now: Instant, into control: inout ControlQueue) throws(LinkFailureCause) {
        guard group.mayJudge(uniteOf: peer, at: now) else { return }
        let session = try group.session(of: unite)
        let current = remote.membership.session
        guard isNeighbour || isResumed, session.id < current.id, current.mayUnite(with: session) else {
            throw .unexpected(.unite)
        }
        let chain = try group.judge(unite, of: peer, for: session)
        if let chain {
            try group.follow(session, by: chain, from: remote.membership.roster[peer]?.branch, at: now)
        }
        guard let home = group.home, home.session.id == session.id, session.id < own.session else { return }
        enter(home, into: &control, at: now)
    }

    /// ENTER: the remote peer's direction has moved (R14.11-5, R14.11-6).
    private func receive(_ enter: Enter, at now: Instant, into control: inout ControlQueue) throws(LinkFailureCause) {
        guard let session = SessionID(rawBytes: enter.session), let exchange = offered[session],
            session < remote.session
        else { throw .unexpected(.enter) }
        remote = exchange
        for id in offered.keys where id > session { offered[id] = nil }
        group.noteChange()
        if session < own.session { self.enter(exchange.membership, into: &control, at: now) }
    }
}

extension FrameType {
    /// Decodes a frame of §14 that is ignored then (R14.11-7).
    fileprivate func check(_ frame: borrowing RawFrame) throws(LinkFailureCause) {
        switch self {
        case .digest: _ = try frame.decode(DigestFrame.self)
        case .summary: _ = try frame.decode(Summary.self)
        default: _ = try frame.decode(Want.self)
        }
    }
}
