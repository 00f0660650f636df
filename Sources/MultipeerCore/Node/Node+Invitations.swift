import MultipeerCrypto
import MultipeerWire

/// INVITEs that come (SPEC §8.7, §14.8). The link has judged the fields, the role and the chain of each, and what crossed on
/// the same link.
extension Node {
    /// The peer invites.
    mutating func invited(_ token: LinkToken, _ invitation: ReceivedInvitation, on link: NodeLink) {
        guard let key = link.key else { return close(link, .unneeded) }
        let made = link.waitingInvitation  // void now, by §8.6
        link.chain = invitation.chain ?? []
        link.state = .invited(NodeLink.PeerInvitation(token: token, invitation: invitation))
        if let made { dropProvisional(made.session) }
        if let session = sessions[invitation.session] { noteInvitation(of: key, in: session) }
        guard !hasCrossedAccepted(link, from: key, for: invitation.session) else { return decline(link, .superseded) }
        replaceStaleLinks(by: link, of: key, for: invitation.session)
        switch ruling(on: invitation, from: key, on: link) {
        case .superseded: decline(link, .superseded)
        case .independent: answer(invitation, of: key, on: link)
        case .stands(let own):
            let merges =
                invitation.mayMerge
                && own.allSatisfy { other in
                    guard let waiting = other.waitingInvitation else { return false }
                    return waiting.isNew && waiting.parameters == invitation.charter.parameters
                }
            let terms = own.first?.waitingInvitation?.invitation.terms
            if merges, let terms, !isUnwanted(key, in: invitation.session) {
                let memberTerms = own.first?.session.flatMap { sessions[$0] }?.memberTerms
                accept(link, with: terms)
                sessions[invitation.session]?.memberTerms = memberTerms
                effects.append(.invitationsMerged(link.number, invitation))
            } else {
                answer(invitation, of: key, on: link)
            }
            for other in own { close(other, .duplicate) }
        }
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

    // MARK: Several links

    /// What an INVITE is beside those of the local peer.
    private enum Ruling {
        /// No local INVITE meets it.
        case independent
        /// It wins against those on these links.
        case stands([NodeLink])
        /// A local INVITE wins.
        case superseded
    }

    /// R8.7-1, R8.7-4, R8.7-6.
    private mutating func ruling(
        on invitation: ReceivedInvitation, from key: IdentityKey, on link: NodeLink
    ) -> Ruling {
        let own = links.links(of: key).filter { $0 !== link && $0.isAlive && isMet($0, by: invitation) }
        if own.isEmpty {
            // It crossed a local INVITE, which has been accepted on a link that there still is.
            let hasCrossed =
                invitation.kind == .new && self.key < key && acceptances.isRecent(key, at: now)
                && links.links(of: key).contains { $0 !== link && $0.isAlive }
            return hasCrossed ? .superseded : .independent
        }
        guard CrossingInvitations.stands(local: self.key, remote: key) else { return .stands(own) }
        let lost = own.filter { isTakenForLost($0) }
        // The peer invites anew: what the local peer waits on is dead.
        if !lost.isEmpty {
            for other in lost { close(other, .duplicate) }
            return .independent
        }
        for other in own { noteSuperseding(other) }
        return .superseded
    }

    /// Whether an INVITE for a session crossed a local INVITE that wins: the ACCEPT of the local one came while the
    /// link of the other one was there already (R8.7-6).
    private func hasCrossedAccepted(_ link: NodeLink, from key: IdentityKey, for session: SessionID) -> Bool {
        guard self.key < key else { return false }
        return links.links(of: key).contains { other in
            guard other !== link, other.isAlive, let agreement = other.agreement, agreement.session == session,
                let accepted = agreement.ownAcceptedAt
            else { return false }
            return link.began < accepted && accepted.advanced(by: RecentAcceptances.duration) > now
        }
    }

    /// Whether a local INVITE waits on a link and meets one that came: both are for one session, or both for new ones.
    private func isMet(_ link: NodeLink, by invitation: ReceivedInvitation) -> Bool {
        guard let own = link.waitingInvitation else { return false }
        return own.session == invitation.session || own.isNew && invitation.kind == .new
    }

    /// Whether an INVITE of the peer was answered with DECLINE of reason 5 because of this link, 10 s ago or earlier (R8.7-4).
    private func isTakenForLost(_ link: NodeLink) -> Bool {
        link.waitingInvitation?.supersededAt.map { $0.advanced(by: .seconds(10)) <= now } ?? false
    }

    private func noteSuperseding(_ link: NodeLink) {
        guard var own = link.waitingInvitation, own.supersededAt == nil else { return }
        own.supersededAt = now
        link.state = .inviting(own)
    }

    /// A peer that invites for a session has given up what was under way for it on other links (R8.7-5).
    private mutating func replaceStaleLinks(by link: NodeLink, of key: IdentityKey, for session: SessionID) {
        for other in links.links(of: key) where other !== link && other.isAlive && other.session == session {
            switch other.state {
            case .agreed: close(other, .duplicate)
            case .invited:
                close(other, .duplicate)
                effects.append(.invitationReplaced(other.number, by: link.number))
            case .idle, .preparing, .inviting, .open, .over: break
            }
        }
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

    private func isUnwanted(_ key: IdentityKey, in session: SessionID) -> Bool {
        reputation.isUnwanted(key) || unconsumed.areTooMany(of: key, in: session)
    }

    /// Answers an INVITE as if the local peer had not invited.
    private mutating func answer(_ invitation: ReceivedInvitation, of key: IdentityKey, on link: NodeLink) {
        if let reason = reasonToDecline(invitation, of: key) { return decline(link, reason) }
        let session = sessions[invitation.session]
        let isTurnedAway = session?.isTurnedAway(key) ?? false
        guard invitation.kind == .members, !isTurnedAway, !configuration.asksAboutMembers,
            objection(to: invitation, of: key) == .none
        else {
            guard case .invited(let held) = link.state else { return }
            guard questions.mayAsk(about: key, at: now) else { return decline(link, .busy) }
            return effects.append(.invited(link.number, held.token, invitation))
        }
        accept(link, with: session?.memberTerms ?? configuration.memberTerms)
    }

    /// Accepts the INVITE on a link.
    mutating func accept(_ link: NodeLink, with terms: SessionTerms) {
        guard case .invited(let held) = link.state, let key = link.key, let session = join(held.invitation.charter)
        else {
            return close(link, .unneeded)
        }
        let agreement = NodeLink.Agreement(
            session: session.id, kind: held.invitation.kind, ownAcceptedAt: nil)
        link.state = .agreed(agreement)
        if agreement.kind == .new { dropOvertaken(by: key, beside: link) }
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
        case .busy, .noAnswer, .superseded: break
        case .declined, .noSession, .sessionFull, .encryptionPolicy:
            var record = session.record(of: key)
            record.avoidance = .refused(isFull: reason == .sessionFull)
            record.avoidedInstance = session.entry(of: key)?.version.instance
            record.plan.rest()
            session.change(key, record)
        }
    }

    /// A local invitation to a new session that has not gone out is not needed any more: what the peer invited to is
    /// what the app wanted.
    mutating func dropOvertaken(by key: IdentityKey, beside link: NodeLink) {
        ownAcceptances.accepted(by: key, at: now)
        for other in links.links(of: key) where other !== link && other.isAlive {
            guard case .preparing(let own) = other.state, own.isNew else { continue }
            effects.append(.notInvited(other.number, .alreadyLinked))
            close(other, .unneeded)
            dropProvisional(own.session)
        }
    }

    /// Whether the local peer has accepted the peer's invitation to a new session since it wanted to invite to one
    /// itself.
    func isOvertaken(_ own: NodeLink.OwnInvitation, by key: IdentityKey) -> Bool {
        guard own.isNew, let accepted = ownAcceptances.time(of: key, at: now) else { return false }
        return own.since < accepted
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
