import MultipeerCrypto
import MultipeerWire

/// A member's part in one session on one link (SPEC §14.5, §14.6): what it says there, and what it makes of the frames of the
/// peer, one by one, in their order.
final class SessionExchange {
    /// What ADMIT is on this link (R14.5-1).
    enum AdmitPart {
        /// The local INVITE of kind 0 or 1 wins: the local peer sends this chain.
        case sends(AdmissionChain)
        /// The peer's INVITE of kind 0 or 1 wins: ADMIT may come, once.
        case mayCome
        /// The link is one between members, or ADMIT has come.
        case none
    }

    let membership: Membership
    let peer: IdentityKey
    /// Whether the link does not leave this host.
    private let isWithinHost: Bool
    private var admission: AdmitPart
    private var exchange = DigestExchange()
    /// The local entry that has gone out last.
    private var sentOwn: EntryVersion?
    /// Whether the first entry of the newcomer has been passed on (R14.6-7).
    private var hasPassedOn = false
    private var hasAdmitted: Bool
    /// Whether the local peer speaks of this session now: frames that it sends belong to it (SPEC §14.11).
    var isOwnDirection = false

    init(_ membership: Membership, peer: IdentityKey, admission: AdmitPart, isWithinHost: Bool) {
        self.isWithinHost = isWithinHost
        self.membership = membership
        self.peer = peer
        self.admission = admission
        if case .sends = admission { hasAdmitted = true } else { hasAdmitted = false }
    }

    /// Another link continues the association.
    init(continuing other: SessionExchange) {
        (membership, peer, isWithinHost) = (other.membership, other.peer, other.isWithinHost)
        (admission, hasAdmitted, hasPassedOn) = (other.admission, other.hasAdmitted, other.hasPassedOn)
        isOwnDirection = other.isOwnDirection
    }

    var session: SessionID { membership.session.id }
    /// Whether the peer is a neighbour: its own entry has come on this link.
    var isNeighbour: Bool { exchange.isNeighbour }
    /// Whether the local entry has gone out.
    var hasSentOwn: Bool { sentOwn != nil }

    /// UNITE has admitted the peer, whose first entry is passed on (R14.6-7).
    func noteAdmission() { hasAdmitted = true }

    // MARK: What is sent

    /// The local peer says something here from now on: ADMIT goes first, then the local entry (R14.5-1, R14.6-1). A member that has
    /// left says nothing.
    func open(into control: inout ControlQueue, at now: Instant) {
        guard membership.presence == .present else { return }
        if case .sends(let chain) = admission {
            control.append(Admit(chain: chain.admissions))
            admission = .none
        }
        if membership.chain != nil, let own = membership.own.newest { sendOwn(own, into: &control) }
    }

    /// The local entry goes out, once.
    func sendOwn(_ entry: VerifiedEntry, into control: inout ControlQueue) {
        guard sentOwn != entry.version else { return }
        sentOwn = entry.version
        control.append(RosterFrame(entries: [entry.entry]))
        exchange.sentOwnEntry()
        beginIfDue(into: &control)
    }

    /// The first entry of a newcomer goes out, unless the peer is no neighbour, or is the newcomer (R14.6-7).
    func sendNewcomer(_ entry: VerifiedEntry, into control: inout ControlQueue, at now: Instant) {
        guard isNeighbour, entry.member != peer else { return }
        for frame in exchange.rosters(of: [entry], owner: membership.key, at: now) { control.append(frame) }
    }

    /// DIGEST goes out (R14.6-3). A peer that is no neighbour gets none.
    func sendDigest(into control: inout ControlQueue) {
        guard isNeighbour, membership.isPresentMember else { return }
        exchange.sentDigest()
        control.append(membership.digestFrame())
    }

    private func beginIfDue(into control: inout ControlQueue) {
        guard isOwnDirection, exchange.beginsNow(hasLesserKey: membership.key < peer) else { return }
        sendDigest(into: &control)
    }

    // MARK: What comes

    /// ADMIT from the wrong peer, a second one, or one between members is a fault (R14.5-1).
    func receive(_ admit: Admit, at now: Instant) throws(LinkFailureCause) {
        guard case .mayCome = admission else { throw .unexpected(.admit) }
        admission = .none
        try membership.receive(admit, at: now)
    }

    /// Takes DIGEST, SUMMARY or WANT.
    func receive(
        _ frame: borrowing RawFrame, type: FrameType, at now: Instant, into control: inout ControlQueue
    ) throws(LinkFailureCause) {
        switch type {
        case .digest:
            let digest = try frame.decode(DigestFrame.self)
            let summary = try membership.receive(digest, over: &exchange, at: now)
            if let summary { control.append(summary) }
        case .summary:
            let summary = try frame.decode(Summary.self)
            let (rosters, want) = try exchange.receive(
                summary, roster: membership.roster, owner: membership.key, at: now)
            for frame in rosters { control.append(frame) }
            if let want { control.append(want) }
        default:
            let want = try frame.decode(Want.self)
            let rosters = try exchange.receive(want, roster: membership.roster, owner: membership.key, at: now)
            for frame in rosters { control.append(frame) }
        }
    }

    /// The whole frame is decoded; now entries are judged one by one, and those before one that fails are kept (R14.5-3).
    func receive(
        _ roster: RosterFrame, at now: Instant, into control: inout ControlQueue
    ) throws(LinkFailureCause) {
        for entry in roster.entries {
            guard membership.mayJudge(entry, from: peer, at: now) else {
                if entry.content.member == peer.rawBytes { exchange.tookNeighboursOwnEntry() }
                continue
            }
            let outcome = try membership.take(entry, isFromThisHost: isWithinHost, at: now)
            guard entry.content.member == peer.rawBytes else {
                if case .outdated(let left) = outcome.insertion, !left.isPresent, entry.content.presence == .present {
                    // The peer does not know that somebody has left (R14.4-4).
                    sendBack(left, into: &control, at: now)
                }
                continue
            }
            exchange.tookNeighboursOwnEntry()
            settle(outcome, into: &control, at: now)
        }
        beginIfDue(into: &control)
    }

    /// What the peer's own entry leads to.
    private func settle(_ outcome: Roster.Outcome, into control: inout ControlQueue, at now: Instant) {
        switch outcome.insertion {
        case .kept(let entry, _):
            guard hasAdmitted, !hasPassedOn else { return }
            hasPassedOn = true
            membership.passOn(entry)
        case .older(let newest), .outdated(let newest):
            // The peer has forgotten what it said; it gets above it (R14.7-3).
            sendBack(newest, into: &control, at: now)
        case .noRoom, .known: break
        }
    }

    /// The peer gets an entry that is greater than the one that it has sent.
    private func sendBack(_ entry: VerifiedEntry, into control: inout ControlQueue, at now: Instant) {
        guard isOwnDirection else { return }
        for frame in exchange.rosters(of: [entry], owner: membership.key, at: now) { control.append(frame) }
    }
}
