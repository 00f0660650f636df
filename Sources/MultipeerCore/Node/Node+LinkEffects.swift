import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

/// What links tell the node.
extension Node {
    /// One effect of one link.
    mutating func take(_ effect: LinkEffect, of link: NodeLink) {
        switch effect {
        case .identified(let peer): identified(peer, on: link)
        case .invited(let token, let invitation): invited(token, invitation, on: link)
        case .invitationAccepted: accepted(on: link)
        case .verify(let token, let evidence): verify(token, evidence, on: link)
        case .opened(let summary): opened(summary, on: link)
        case .verification(let event): verificationWent(event, on: link)
        case .probeAnswered: probeAnswered(on: link)
        case .closed(let end): ended(end, link)
        case .message, .stream:
            link.untaken.came(effect)
            effects.append(.payload(link.number, effect))
        case .messages, .memoryWanted, .memoryReturned, .messageStalled, .datagramPath, .datagram, .incomingFile,
            .outgoingFile,
            .trace:
            effects.append(.payload(link.number, effect))
        }
    }

    /// The expected peer has shown its PROOF: the INVITE has gone out with the local PROOF (SPEC §14.10).
    mutating func noteProof(of link: NodeLink) {
        if case .idle = link.state { noteProofToResume(on: link) }
        guard link.isAlive, let key = link.link.provedPeer, link.expected == key, case .preparing(let own) = link.state,
            own.code == nil, link.link.stage != .pairing
        else { return }
        link.state = .inviting(own)
        if case .dialled(let attempt) = link.origin { attempts.reached(attempt) }
        cancelAttempts(to: key, in: own.session, except: link)
        sessions[own.session]?.note(key)
    }

    private mutating func identified(_ peer: PeerID, on link: NodeLink) {
        link.peer = peer
        links.bind(link, to: peer.key)
        if case .dialled = link.origin { return }
        if case .resuming = link.origin { return }
        effects.append(.identified(link.number, peer))
        if case .accepted = link.origin, let courtesy = configuration.courtesy {
            link.visitDue = now.advanced(by: courtesy)
        }
        if case .preparing(let own) = link.state { send(own, to: peer.key, on: link) }
        dropIdleLinks(of: peer.key)
    }

    /// The peer had time to invite.
    mutating func noteVisit(on link: NodeLink) {
        guard let due = link.visitDue, due <= now else { return }
        link.visitDue = nil
        if link.isAlive, case .idle = link.state { effects.append(.visited(link.number)) }
    }

    /// How many links of one peer may be without an INVITE.
    private static var mostIdleLinks: Int { 4 }

    /// A peer may connect as often as it likes; the oldest links on which nobody has invited make room. Programs that share an identity
    /// hear that there are too many, and wait for their turn (SPEC §19).
    private mutating func dropIdleLinks(of peer: IdentityKey) {
        let idle = links.links(of: peer).filter { link in
            guard link.isAlive, case .accepted = link.origin, case .idle = link.state else { return false }
            return true
        }
        for link in idle.dropLast(Self.mostIdleLinks) { close(link, .unneeded, code: .limitExceeded) }
    }

    /// An INVITE of the app goes out, now that its recipient is known (R8.7-2).
    private mutating func send(_ own: NodeLink.OwnInvitation, to peer: IdentityKey, on link: NodeLink) {
        do throws(NodeRequestError) {
            try check(own, to: peer, except: link)
            try launch(own, on: link)
            welcome(peer, in: own.session)
        } catch {
            link.state = .idle
            cannotInvite(on: link, error)
            close(link, .unneeded)
            dropProvisional(own.session)
        }
    }

    /// The peer accepted.
    private mutating func accepted(on link: NodeLink) {
        guard case .inviting(let own) = link.state else { return }
        link.state = .agreed(NodeLink.Agreement(session: own.session, kind: own.kind, peerOrder: nil))
    }

    /// Certificates are to be judged. The link gets its part in the session before it can open.
    private mutating func verify(_ token: LinkToken, _ evidence: PeerEvidence, on link: NodeLink) {
        guard case .agreed(let agreement) = link.state, let key = link.key, let session = sessions[agreement.session]
        else { return close(link, .unneeded) }
        do throws(LinkFailureCause) {
            guard let part = try admitPart(of: agreement, for: key, in: session) else { return close(link, .unneeded) }
            let membership = LinkMembership(
                session.membership, in: session.sharing, peer: key, admission: part, isWithinHost: link.isWithinHost)
            link.membership = membership
            link.link.attach(membership)
            effects.append(.verify(link.number, token, evidence))
        } catch {
            signingFailed(error, in: session)
            close(link, .unneeded)
        }
    }

    /// What ADMIT is on a link (R14.5-1); nil if the local peer would have to admit and may not any more.
    private func admitPart(
        of agreement: NodeLink.Agreement, for key: IdentityKey, in session: NodeSession
    ) throws(LinkFailureCause) -> SessionExchange.AdmitPart? {
        if agreement.kind == .members { return SessionExchange.AdmitPart.none }
        guard agreement.peerOrder == nil else { return .mayCome }
        return try session.membership.admission(of: key).map { .sends($0) }
    }

    /// The app does not show a peer in a session any more: it is about to be told of it in another one.
    private func hide(_ key: IdentityKey, in session: NodeSession) {
        var record = session.record(of: key)
        record.isShownConnected = false
        session.change(key, record)
    }

    /// A link to a member is open, and the app hears of it.
    func noteLink(to key: IdentityKey, in session: NodeSession) {
        var record = session.record(of: key)
        record.isShownConnected = true
        record.noteLink()
        session.change(key, record)
        session.note(key)
    }

    /// The link is open.
    private mutating func opened(_ summary: LinkSummary, on link: NodeLink) {
        if link.link.hasResumed { return resumed(summary, on: link) }
        guard case .agreed(let agreement) = link.state, let key = link.key, let session = sessions[agreement.session]
        else { return close(link, .unneeded) }
        link.state = .open(agreement)
        session.isProvisional = false
        // The local peer has left meanwhile (R14.5-1), or blocked the remote peer.
        guard session.membership.presence == .present, !reputation.isBlocked(key) else { return close(link, .app) }
        // What has come to be known since its INVITE counts too (R14.9-5).
        if agreement.kind == .members, !link.isAcceptedByApp, objection(to: key, by: link.chain, in: session) != .none {
            return close(link, .unneeded)
        }
        // An association that waits ends when another one begins (R13.9-3): the peer has lost it, and the app hears of that.
        for reconnection in reconnections.reconnections(to: key)
        where link.affiliation.map({ reconnection.affiliation.isOneGroup(with: $0) }) ?? false { finish(reconnection) }
        link.link.association?.noteProof(at: link.place)
        let hasReplaced = others(of: link).contains { $0.isOpen }
        giveUpOthers(for: link, of: key)
        cancelAttempts(to: key, in: session.id, except: link)
        // The link before may have ended already, and nothing was reported as this one was under way (SPEC §14.10).
        let shown = shownSession(of: key, in: link.affiliation)
        let isReplacement = shown != nil || hasReplaced
        if let shown { hide(key, in: shown) }
        noteLink(to: key, in: session)
        effects.append(.connected(session.id, link.number, summary, isReplacement: isReplacement))
        // At once: the link may end with the same bytes.
        _ = endCalls()
    }
}
