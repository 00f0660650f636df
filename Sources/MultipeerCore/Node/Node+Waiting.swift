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

/// What apps want and what has to wait for other links of their group. It is looked at again after each input.
extension Node {
    /// Whether anything has gone on.
    mutating func goOnWithWhatWaits() -> Bool {
        guard !waiting.isEmpty else { return false }
        let numbers = waiting
        waiting = []
        var hasAny = false
        for number in numbers {
            guard let link = links[number], link.isAlive, case .planned(let plan) = link.state else { continue }
            goOn(with: plan, on: link)
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
}
