import MultipeerCrypto
import MultipeerWire

/// How links end, and what follows (SPEC §14.9).
extension Node {
    /// The local peer closes a link. A link that is closed already stays as it is.
    mutating func close(_ link: NodeLink, _ closing: NodeLink.Closing, code: CloseCode = .noError) {
        guard link.isAlive else { return }
        if closing == .app { noteClosing(of: link) }
        link.closing = closing
        switch closing {
        case .app, .unneeded, .offender: link.link.close(code, at: now)
        case .duplicate: link.link.close(.duplicateLink, at: now)
        case .moved: link.link.close(.moved, at: now)
        case .declined: break
        }
    }

    /// A member whose link the app closes is not dialled by itself, from now on (R14.9-3).
    private func noteClosing(of link: NodeLink) {
        guard link.isUnderWay, let key = link.key, let session = link.session.flatMap({ sessions[$0] }) else { return }
        var record = session.record(of: key)
        (record.avoidance, record.avoidedInstance) = (.closed, session.entry(of: key)?.version.instance)
        record.plan.rest()
        session.change(key, record)
        session.note(key)
    }

    /// A link has ended.
    mutating func ended(_ end: LinkEnd, _ link: NodeLink) {
        verificationEnded(on: link)
        if link.closing != .moved, suspend(end, link) { return }
        effects.append(.closed(link.number, end))
        if case .declined = link.link.associationEnd, let association = link.link.association,
            let reconnection = reconnections.reconnection(of: association)
        {
            finish(reconnection)
        }
        if link.closing == .moved {
            // The link that carries the association reports what becomes of it.
            link.state = .over
            return
        }
        let (wasOpen, isUnderWay) = (link.isOpen, link.isUnderWay)
        let own = link.session
        let hasOther = link.closing == .duplicate || others(of: link).contains { $0.isUnderWay }
        let affiliation = link.affiliation
        noteEnd(of: link, end)
        link.state = .over
        link.heldVerdict = nil
        if let own, let key = link.key {
            unconsumed.add(link.untaken, of: UnconsumedCreditByLink.Owner(member: key, session: own), on: link.number)
        }
        if case .dialled(let attempt) = link.origin { attempts.failed(attempt.number) }
        guard isUnderWay, let own, let key = link.key else {
            if let key = link.key { othersMayGoOn(to: key) }
            return forgetIfUnused(own)
        }
        // Another link of the group may have ended before this one, and nothing was reported as this one was under way.
        let session = shownSession(of: key, in: affiliation)?.id ?? own
        let isDeparture = !link.link.hasRefusedResume
        let departure =
            isDeparture ? Departure(end, circumstances(of: link, session: session, hasOther: hasOther)) : .lost
        if departure == .misbehaved {
            reputation.misbehaved(key, in: sessions[session]?.branch(of: key, showing: link.chain))
            for other in links.links(of: key) where other !== link { close(other, .offender) }
            giveUpReconnections(to: key, as: .misbehaved)
            for session in sessions.inOrder { reconsiderThose(admittedBy: key, in: session) }
        }
        // After what is held against the peer, which decides about them.
        othersMayGoOn(to: key)
        if let affiliation, departure != .lost, departure != .replaced { accepted.forget(key, for: affiliation) }
        // A member that has left and is still linked has not gone: the end of the other link reports it (SPEC §14.10).
        let isTold = isDeparture && departure != .replaced && !(departure == .left && hasOther)
        if isTold { effects.append(.departed(session, key, departure, end)) }
        if isTold || !isDeparture, let affiliation { callsHear(of: departure, end, of: key, in: affiliation) }
        if let held = sessions[session] {
            remember(
                departure, end, of: link, key: key, wasOpen: wasOpen, hasOther: hasOther, isTold: isTold, in: held)
        }
        explainDuplicates(of: key)
        forgetIfUnused(own)
        if session != own { forgetIfUnused(session) }
    }

    /// The end of a link explains `duplicate_link` on others to the same peer, whichever session each is for (R14.9-3).
    private func explainDuplicates(of key: IdentityKey) {
        for session in sessions.inOrder where session.entry(of: key) != nil || hasLink(to: key, in: session) {
            var record = session.record(of: key)
            record.lastEnd = now
            session.change(key, record)
        }
    }

    /// The session of a group in which the app was told that a peer is connected, and not that it has departed.
    func shownSession(of key: IdentityKey, in affiliation: Affiliation?) -> NodeSession? {
        guard let affiliation else { return nil }
        return sessions.group(of: affiliation).first { $0.record(of: key).isShownConnected }
    }

    private func circumstances(
        of link: NodeLink, session: SessionID, hasOther: Bool
    ) -> Departure.Circumstances {
        var known = Departure.Circumstances()
        if let key = link.key, let entry = sessions[session]?.entry(of: key) { known.hasLeft = !entry.isPresent }
        known.hasOtherLink = hasOther
        known.isClosedHere = link.closing == .app
        known.isOffender = link.closing == .offender
        known.declined = link.declined
        known.isProved = link.link.provedPeer != nil
        known.isAttributable = link.link.isFailureAttributable
        return known
    }

    /// What the end means for dialling the member (R14.9-3).
    private mutating func remember(
        _ departure: Departure, _ end: LinkEnd, of link: NodeLink, key: IdentityKey, wasOpen: Bool, hasOther: Bool,
        isTold: Bool, in session: NodeSession
    ) {
        var record = session.record(of: key)
        if let reason = avoidance(departure, end, of: link, hasOther: hasOther, record) {
            (record.avoidance, record.avoidedInstance) = (reason, session.entry(of: key)?.version.instance)
            if reason == .unexplainedDuplicate { effects.append(.twinSuspected(session.id)) }
        }
        if isTold { record.isShownConnected = false }
        record.lastEnd = now
        if !hasLink(to: key, in: session) { record.unlinkedSince = now }
        session.change(key, record)
        session.note(key)
        if case .dialled = link.origin, !wasOpen, wantsLink(to: key, in: session) {
            // No address has led to an open link (R14.8-6).
            record.plan.roundFailed(isResuming: isReconnecting(to: key, in: session.affiliation), at: now)
            session.change(key, record)
            needsDialPass = true
        }
        placeBecameFree(of: key, in: session)
    }

    private func avoidance(
        _ departure: Departure, _ end: LinkEnd, of link: NodeLink, hasOther: Bool, _ record: MemberRecord
    ) -> Avoidance? {
        switch departure {
        case .left: !hasOther && isUnexplainedDuplicate(end, record) ? .unexplainedDuplicate : nil
        case .replaced: nil
        // What the local peer decided was noted when it did: the app may have asked for the member since.
        case .closed: end.isShuttingDown || link.closing != nil ? nil : .closed
        case .lost: isUnexplainedDuplicate(end, record) ? .unexplainedDuplicate : nil
        case .refused: link.closing == .declined ? nil : .refused(isFull: false)
        case .failed: nil
        // What has misbehaved is remembered for all sessions.
        case .misbehaved: nil
        }
    }

    /// `duplicate_link` that nothing explains: no other link is open or under way, or ended within 60 s (R14.9-3).
    private func isUnexplainedDuplicate(_ end: LinkEnd, _ record: MemberRecord) -> Bool {
        guard case .failed(let failure) = end, failure.cause == .peerClosed(.duplicateLink) else { return false }
        return record.lastEnd.map { $0.advanced(by: .seconds(60)) <= now } ?? true
    }

    // MARK: Sessions that nobody is in

    /// A session that was made for one invitation is not needed if that has failed, nor one whose only link has ended
    /// before ADMIT came.
    mutating func dropProvisional(_ session: SessionID) { forgetIfUnused(session) }

    mutating func forgetIfUnused(_ session: SessionID?) {
        guard let session, let held = sessions[session], !held.membership.isShared,
            held.isProvisional || held.membership.chain == nil,
            !links.all.contains(where: { $0.isAlive && $0.session == session }),
            !reconnections.all.contains(where: { $0.agreement.session == session })
        else { return }
        remove(session)
    }

    /// The node takes no part in a session any more.
    mutating func remove(_ session: SessionID) { sessions.remove(session) }
}

extension LinkEnd {
    /// Whether it was ended because of another link between the same two.
    package var isGivenUpForAnother: Bool {
        switch self {
        case .finished: false
        case .failed(let failure):
            failure.cause == .peerClosed(.duplicateLink) || failure.cause == .invitation(.superseded)
        }
    }

    /// Whether the peer's program ends: it comes back, and is dialled then.
    fileprivate var isShuttingDown: Bool {
        switch self {
        case .finished: false
        case .failed(let failure): failure.cause == .peerClosed(.shuttingDown)
        }
    }
}
