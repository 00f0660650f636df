import MultipeerCrypto
import MultipeerWire

/// What the invitation of an app may wait for, as long as its time lasts.
public enum InvitationPatience: Sendable {
    /// For nothing: it fails at once.
    case none
    /// For the admission of the local peer, which has just entered the session (R14.1-2).
    case forAdmission
    /// The same, and for the end of other links to the peer that forbid it (R8.7-2).
    case forLinks
}

/// When ACCEPT goes out, once the app has accepted an invitation.
public enum AnswerTiming: Sendable {
    /// At once.
    case now
    /// When it is decided in which session the group is. ACCEPT waits while the group has agreed with somebody else on another session. If a
    /// link opens there, the peer hears that the local peer is busy.
    case settled
    /// The same. And if both peers have invited, the one with the greater key answers first, for half a second at most: so several that
    /// invite each other enter one session.
    case afterPeer
}

/// What apps want and what has to wait for other links of their group. It is looked at again after each input.
extension Node {
    /// How long a peer may take to answer first.
    static var yieldPatience: Duration { .milliseconds(500) }

    /// Whether anything has gone on.
    mutating func goOnWithWhatWaits() -> Bool {
        guard !waiting.isEmpty else { return false }
        let numbers = waiting
        waiting = []
        var hasAny = false
        for number in numbers {
            guard let link = links[number], link.isAlive else { continue }
            switch link.state {
            case .planned(let plan): goOn(with: plan, on: link)
            case .invited(let held):
                if case .group(let terms) = held.wait { accept(link, with: terms) }
            case .idle, .preparing, .inviting, .agreed, .open, .over: continue
            }
            if !waiting.contains(number) { hasAny = true }
        }
        return hasAny
    }

    /// - Parameter isNew: Whether the link has not waited before, so that its deadline has to be noted.
    private mutating func wait(_ link: NodeLink, isNew: Bool) {
        if !waiting.contains(link.number) { waiting.append(link.number) }
        if isNew { link.handle.noteChange() }
    }

    // MARK: Invitations of the app

    /// Whether an invitation has to wait.
    func mustWait(_ plan: NodeLink.Plan, in session: NodeSession, on link: NodeLink) -> Bool {
        if session.membership.isAwaitingAdmission { return true }
        guard plan.patience == .forLinks, let key = link.key else { return false }
        return others(to: key, in: session.affiliation).contains { $0 !== link && $0.forbidsInvitation }
    }

    mutating func hold(_ plan: NodeLink.Plan, on link: NodeLink) {
        link.state = .planned(plan)
        wait(link, isNew: true)
    }

    private mutating func goOn(with plan: NodeLink.Plan, on link: NodeLink) {
        let session = sessions[plan.session]
        if let session, now < plan.deadline, mustWait(plan, in: session, on: link) {
            return wait(link, isNew: false)
        }
        link.state = .idle
        do throws(NodeRequestError) {
            guard let session else { throw .unknownSession }
            try invite(
                on: link, to: session, isNew: false, terms: plan.terms, context: plan.context,
                timeout: max(plan.deadline.duration(since: now), .milliseconds(1)), code: plan.code)
        } catch {
            effects.append(.notInvited(link.number, error))
            close(link, .unneeded)
        }
    }

    // MARK: Answers of the app

    /// Lets an INVITE wait that the app has accepted, or declines it because the group is among others. Returns whether ACCEPT may
    /// not go out.
    mutating func waitsForGroup(_ link: NodeLink, acceptedWith terms: SessionTerms) -> Bool {
        guard link.answerTiming != .now, var held = link.peerInvitation, let key = link.key, let group = link.group
        else { return false }
        let elsewhere = links.all.filter { other in
            other.isAlive && other.isAgreed && other.group == group && other.session != held.session
        }
        if elsewhere.contains(where: { $0.isOpen }) {
            effects.append(.acceptanceOverruled(link.number, held.invitation))
            decline(link, .busy)
            return true
        }
        if let end = link.yieldsUntil, end <= now || !isInviting(key, for: group, except: link) {
            link.yieldsUntil = nil
        }
        guard link.yieldsUntil != nil || elsewhere.contains(where: { $0.key != key }) else { return false }
        let isNew = if case .group = held.wait { false } else { true }
        held.wait = .group(terms)
        link.state = .invited(held)
        wait(link, isNew: isNew)
        return true
    }

    /// Whether the app is inviting the peer on another link, or a peer that may be it.
    private func isInviting(_ key: IdentityKey, for group: GroupNumber, except link: NodeLink) -> Bool {
        links.all.contains { other in
            guard other !== link, other.isAlive, other.group == group, (other.key ?? key) == key else { return false }
            switch other.state {
            // The app has just connected.
            case .idle: return if case .opened = other.origin { true } else { false }
            case .planned, .preparing, .inviting: return true
            case .invited, .agreed, .open, .over: return false
            }
        }
    }

    /// The group enters the session of a link: what others were invited to is taken back, but for what the same peer may have
    /// accepted (SPEC §8.7).
    mutating func giveUpOtherSessions(for link: NodeLink, of key: IdentityKey) {
        guard link.answerTiming != .now, let group = link.group, let entered = link.session else { return }
        for session in sessions.inOrder where session.group == group && session.id != entered {
            abandon(session.id, exceptFor: key)
        }
    }
}
