import MultipeerCrypto
import MultipeerWire

/// INVITEs that come (SPEC §8.2, §14.8). The link has judged the fields, the role and the chain of each, and what crossed on
/// the same link.
extension Node {
    /// The peer invites.
    mutating func invited(_ token: LinkToken, _ invitation: ReceivedInvitation, on link: NodeLink) {
        guard let key = link.key else { return close(link, .unneeded) }
        let made = link.waitingInvitation  // void now, by §8.6
        if case .planned = link.state, !calls.contains(link.number) {
            effects.append(.notInvited(link.number, .link(.wrongStage(.invited))))
        }
        link.chain = invitation.chain ?? []
        inviteCount += 1
        link.state = .invited(
            NodeLink.PeerInvitation(token: token, invitation: invitation, order: inviteCount, came: now))
        if let made { dropProvisional(made.session) }
        if let session = sessions[invitation.session] {
            if session.membership.presence == .present { link.group = session.group }
            noteInvitation(of: key, in: session)
        }
        replaceEarlier(by: link)
        judge(link)
    }

    /// The remote peer invites: but for what it has done wrong, it may be dialled again (R14.8-6, R14.9-3).
    private func noteInvitation(of key: IdentityKey, in session: NodeSession) {
        session.note(key)
        guard session.entry(of: key) != nil else { return }
        var record = session.record(of: key)
        record.avoidance = nil
        record.plan.renew()
        session.change(key, record)
    }

    // MARK: Answers

    /// The reasons to decline without asking anybody, in their order (SPEC §8.2).
    private func reasonToDecline(_ invitation: ReceivedInvitation, of key: IdentityKey) -> DeclineReason? {
        let session = sessions[invitation.session]
        if invitation.kind == .members, session?.membership.isPresentMember != true { return .noSession }
        if reputation.isUnwanted(key) || objection(to: invitation, of: key) == .declines { return .declined }
        if invitation.kind == .members, let session, !hasPlace(for: key, in: session) { return .sessionFull }
        return unconsumed.areTooMany(of: key, in: invitation.session) ? .busy : nil
    }

    /// What forbids an INVITE between members because of those that have admitted its sender (R14.9-5).
    private func objection(to invitation: ReceivedInvitation, of key: IdentityKey) -> Objection {
        guard invitation.kind == .members, let session = sessions[invitation.session] else { return .none }
        return objection(to: key, by: invitation.chain ?? [], in: session)
    }

    /// Answers an INVITE, asks the app, or lets it wait: at first, and when what it waited for is over.
    mutating func judge(_ link: NodeLink) {
        guard let key = link.key, let held = link.peerInvitation else { return }
        let invitation = held.invitation
        if let reason = reasonToDecline(invitation, of: key) { return decline(link, reason) }
        guard !waitsForOther(link) else { return }
        let session = sessions[invitation.session]
        guard invitation.kind == .members else { return askUnlessAnswered(held, of: key, on: link) }
        let isAsked =
            (session?.isTurnedAway(key) ?? false) || configuration.asksAboutMembers
            || objection(to: invitation, of: key) != .none
        isAsked ? ask(held, of: key, on: link) : accept(link, with: session?.memberTerms ?? configuration.memberTerms)
    }

    /// The app has answered the same INVITE before, or is asked (R8.2-10).
    private mutating func askUnlessAnswered(
        _ held: NodeLink.PeerInvitation, of key: IdentityKey, on link: NodeLink
    ) {
        let invitation = held.invitation
        let affiliation = Affiliation(group: link.group, session: invitation.session)
        guard let terms = accepted.answer(for: invitation, of: key, in: affiliation, at: now) else {
            return ask(held, of: key, on: link)
        }
        link.isAcceptedByApp = true
        accept(link, with: terms)
    }

    private mutating func ask(_ held: NodeLink.PeerInvitation, of key: IdentityKey, on link: NodeLink) {
        guard questions.mayAsk(about: key, at: now) else { return decline(link, .busy) }
        var held = held
        held.wait = .app
        link.state = .invited(held)
        effects.append(.invited(link.number, held.token, held.invitation))
    }

    /// Accepts the INVITE on a link, as soon as no other one to the peer is open.
    mutating func accept(_ link: NodeLink, with terms: SessionTerms) {
        guard !waitsForOther(link, acceptedWith: terms) else { return }
        guard let held = link.peerInvitation, let key = link.key,
            let session = join(held.invitation.charter, in: link.group)
        else { return close(link, .unneeded) }
        link.state = .agreed(
            NodeLink.Agreement(session: session.id, kind: held.invitation.kind, peerOrder: held.order))
        if link.isAcceptedByApp { effects.append(.invitationAccepted(link.number, held.invitation, into: link.group)) }
        // The member itself wants the link: what stood against dialling it is over (R14.9-3).
        session.welcome(key)
        cancelAttempts(to: key, in: session.id, except: link)
        do throws(RequestError) {
            try link.link.accept(held.token, with: terms, at: now)
        } catch {
            // Its time is over, or the preferences cannot be reconciled: the link reports its end.
        }
    }

    /// The link may end a little later. Meanwhile no peer is dialled that the local peer has declined (R14.9-3).
    private func noteDecline(of key: IdentityKey, _ reason: DeclineReason, in session: NodeSession) {
        session.note(key)
        switch reason {
        case .busy, .noAnswer: break
        case .declined, .noSession, .sessionFull, .encryptionPolicy:
            var record = session.record(of: key)
            record.avoidance = .refused(isFull: reason == .sessionFull)
            record.avoidedInstance = session.entry(of: key)?.version.instance
            record.plan.rest()
            session.change(key, record)
        }
    }

    /// Declines the INVITE on a link.
    mutating func decline(_ link: NodeLink, _ reason: DeclineReason) {
        guard case .invited(let held) = link.state else { return }
        link.declined = reason
        link.closing = .declined
        if let key = link.key, let session = sessions[held.session] { noteDecline(of: key, reason, in: session) }
        do throws(RequestError) {
            try link.link.decline(held.token, reason, at: now)
        } catch {
            // Its time is over: the link reports its end.
        }
    }
}
