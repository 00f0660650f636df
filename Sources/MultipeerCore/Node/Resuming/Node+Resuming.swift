import MultipeerCrypto
import MultipeerWire

/// Associations that continue over another link (SPEC §13.9).
extension Node {
    // MARK: Between links

    /// A link has ended, and its association may continue over another one. Returns false if it ends with the link.
    mutating func suspend(_ end: LinkEnd, _ link: NodeLink) -> Bool {
        guard case .resumable = link.link.associationEnd, let association = link.link.association,
            let agreement = link.agreement, let key = link.key
        else { return false }
        let session = link.membership?.remote.session ?? agreement.session
        // A member that has left does not come back (R13.9-3). The peer that has made the link continues it, where it knows how.
        let hasLeft = sessions[session]?.entry(of: key).map { !$0.isPresent } ?? false
        if hasLeft || link.link.role == .initiator && association.places.isEmpty {
            report(association, over: link.number)
            return false
        }
        let grace = min(max(configuration.grace, .zero), NodeConfiguration.longestGrace)
        let until = Instant.earlier(now.advanced(by: grace), association.terms.trustEnd) ?? now
        let reconnection = Reconnection(
            association, over: link,
            as: NodeLink.Agreement(session: session, kind: agreement.kind, peerOrder: agreement.peerOrder), of: key,
            ended: end, until: until, at: now)
        reconnections.add(reconnection)
        link.state = .over
        effects.append(.reconnecting(session, key, link.number))
        sessions[session]?.note(key)
        if let excess = reconnections.excess { finish(excess) }
        othersMayGoOn(to: key)
        for held in sessions.group(of: reconnection.affiliation) { reconsider(key, in: held) }
        return true
    }

    /// The association of a group with a peer that waits for another link.
    func reconnection(to key: IdentityKey, in affiliation: Affiliation) -> Reconnection? {
        reconnections.reconnections(to: key).first { $0.affiliation.isOneGroup(with: affiliation) }
    }

    /// Whether a group has an association with a peer that waits for another link.
    func isReconnecting(to key: IdentityKey, in affiliation: Affiliation) -> Bool {
        reconnection(to: key, in: affiliation) != nil
    }

    /// An association ends: no link has continued it.
    mutating func finish(_ reconnection: Reconnection, as departure: Departure = .lost) {
        guard report(reconnection) else { return }
        let key = reconnection.member
        let shown = shownSession(of: key, in: reconnection.affiliation)
        guard let session = shown ?? sessions[reconnection.agreement.session] else { return }
        effects.append(.departed(session.id, key, departure, reconnection.end))
        callsHear(of: departure, reconnection.end, of: key, in: reconnection.affiliation)
        var record = session.record(of: key)
        record.isShownConnected = false
        record.lastEnd = now
        if !hasLink(to: key, in: session) { record.unlinkedSince = now }
        session.change(key, record)
        session.note(key)
        placeBecameFree(of: key, in: session)
        forgetIfUnused(session.id)
    }

    /// What was unfinished is reported. Returns false if that was done before.
    private mutating func report(_ reconnection: Reconnection) -> Bool {
        guard let needless = reconnections.remove(reconnection) else { return false }
        for number in needless { effects.append(.cancelDial(number)) }
        report(reconnection.association, over: reconnection.link)
        effects.append(.closed(reconnection.link, reconnection.end))
        let owner = UnconsumedCreditByLink.Owner(
            member: reconnection.member, session: reconnection.agreement.session)
        unconsumed.add(reconnection.untaken, of: owner, on: reconnection.link)
        for link in links.links(of: reconnection.member)
        where link.isAlive && link.link.association === reconnection.association { close(link, .unneeded) }
        return true
    }

    private mutating func report(_ association: ResumableAssociation, over link: LinkNumber) {
        var results = EffectQueue()
        association.end(into: &results)
        while let effect = results.next() { effects.append(.payload(link, effect)) }
    }

    /// The local peer has no more to do with a peer: nothing continues.
    mutating func giveUpReconnections(
        to key: IdentityKey, as departure: Departure = .closed, where isMeant: (Reconnection) -> Bool = { _ in true }
    ) {
        for reconnection in reconnections.reconnections(to: key) where isMeant(reconnection) {
            finish(reconnection, as: departure)
        }
    }

    // MARK: Time

    /// Ends what has waited for too long, and tries again what is due.
    mutating func timeoutReconnections() {
        while let number = reconnections.endOverdue(at: now) { effects.append(.cancelDial(number)) }
        while let number = reconnections.endOverdueHandshake(at: now) {
            if let link = links[number], !link.isOpen { close(link, .moved, code: .moved) }
        }
        for reconnection in reconnections.all where reconnection.deadline <= now { finish(reconnection) }
        resumeWhatIsDue()
    }

    /// Tries again what is due. An attempt leads to nothing that has to be settled.
    mutating func resumeWhatIsDue() {
        for reconnection in reconnections.all {
            if let due = reconnection.due, due <= now { resume(reconnection) }
        }
    }

    /// Makes a connection at the next place where the peer has been.
    private mutating func resume(_ reconnection: Reconnection) {
        let places = reconnection.association.places
        let place = places[reconnection.plan.count % places.count]
        guard reconnection.plan.tries(chance: environment.random.number(below: 1_001), at: now) else { return }
        guard !isBeingResumed(reconnection) else { return }
        let number = attempts.takeNumber()
        reconnections.begin(number, for: reconnection, at: place, now: now)
        effects.append(.dial(number, place))
    }

    /// Whether a link is under way that may continue an association.
    func isBeingResumed(_ reconnection: Reconnection) -> Bool {
        links.links(of: reconnection.member).contains {
            $0.isAlive && ($0.link.association ?? $0.link.pendingResume) === reconnection.association
        }
    }

    /// A connection is there on which an association continues. Nil if the attempt was no such one, or another was faster.
    mutating func resumed(by number: DialNumber) -> NodeLink? {
        guard let (reconnection, place) = reconnections.end(number) else { return nil }
        if isBeingResumed(reconnection) { return nil }
        let link = addLink(expecting: reconnection.member, at: place, for: reconnection.group, origin: .resuming)
        link.link.resume(reconnection.association)
        reconnections.beginHandshake(on: link.number, for: reconnection, now: now)
        return link
    }

    /// A connection is there at an address that a member lists, whose association waits: it continues there. Nil if another link has
    /// begun that meanwhile.
    mutating func resumed(_ reconnection: Reconnection, by attempt: DialAttempt) -> NodeLink? {
        guard !isBeingResumed(reconnection) else {
            attempts.failed(attempt.number)
            return nil
        }
        let link = addLink(
            expecting: attempt.member, at: attempt.address, for: reconnection.group, origin: .dialled(attempt))
        link.link.resume(reconnection.association)
        reconnections.beginHandshake(on: link.number, for: reconnection, now: now)
        return link
    }

    /// The peer has proved itself where it is to continue an association: it may be tried there again (R13.9-10).
    func noteProofToResume(on link: NodeLink) {
        guard link.isAlive, case .dialled = link.origin, let key = link.link.provedPeer, key == link.expected else {
            return
        }
        (link.link.pendingResume ?? link.link.association)?.noteProof(at: link.place)
    }

    // MARK: RESUMED

    /// RESUMED has opened a link.
    mutating func resumed(_ summary: LinkSummary, on link: NodeLink) {
        guard let association = link.link.association, let key = link.key else { return close(link, .unneeded) }
        let made = link.waitingInvitation  // void now (R13.9-7)
        let agreement: NodeLink.Agreement
        if let reconnection = reconnections.reconnection(of: association) {
            for number in reconnections.remove(reconnection) ?? [] { effects.append(.cancelDial(number)) }
            agreement = reconnection.agreement
            (link.chain, link.isAcceptedByApp) = (reconnection.chain, reconnection.isAcceptedByApp)
            (link.untaken, link.group) = (reconnection.untaken, reconnection.group)
            tell(link, continues: reconnection.link)
        } else if let before = links.links(of: key).last(where: {
            $0 !== link && $0.isOpen && $0.link.association === association
        }), let agreed = before.agreement {
            // The local peer has not noticed that the old link is gone.
            agreement = agreed
            (link.chain, link.isAcceptedByApp) = (before.chain, before.isAcceptedByApp)
            (link.untaken, link.group, before.untaken) = (before.untaken, before.group, UnconsumedCredit())
            tell(link, continues: before.number)
            close(before, .moved, code: .moved)
        } else {
            return close(link, .unneeded)
        }
        link.membership = link.link.membership
        let id = link.membership?.remote.session ?? agreement.session
        link.state = .open(
            NodeLink.Agreement(session: id, kind: agreement.kind, peerOrder: agreement.peerOrder))
        if let made { dropProvisional(made.session) }
        guard let session = sessions[id] else { return close(link, .app) }
        association.noteProof(at: link.place)
        if case .dialled(let attempt) = link.origin { attempts.reached(attempt) }
        // Where RESUME has not gone out yet, it must not: it would ask for what is open here.
        for other in links.links(of: key) where other.isAlive && other.link.pendingResume === association {
            close(other, .unneeded)
        }
        giveUpOthers(for: link, of: key)
        cancelAttempts(to: key, in: session.id, except: link)
        noteLink(to: key, in: session)
        effects.append(.connected(session.id, link.number, summary, isReplacement: true))
    }

    private mutating func tell(_ link: NodeLink, continues earlier: LinkNumber) {
        reconnections.note(link.number, after: earlier)
        effects.append(.resumed(earlier, by: link.number))
    }

    /// Associations have moved to other links: those that they have left are closed (R13.9-4).
    mutating func closeLeftLinks() -> Bool {
        guard let book, book.hasMoves else { return false }
        book.hasMoves = false
        for link in links.all where link.isAlive && link.link.hasLostAssociation && !link.isOpen {
            close(link, .moved, code: .moved)
        }
        return true
    }
}
