import MultipeerCrypto
import MultipeerWire

/// What the invitation of an app may wait for, as long as its time lasts.
public enum InvitationPatience: Sendable {
    /// For nothing: it fails at once.
    case none
    /// For the admission of the local peer, which has just entered the session (R14.1-2).
    case forAdmission
    /// The same, and for whatever link connects the two: the invitation is a *call*, whose outcome comes by
    /// ``NodeEffect/callEnded(_:_:)``. Where another link forbids its INVITE, or takes the place of its own link (SPEC §8.7), it waits for
    /// what becomes of that one.
    case forConnection
}

/// Invitations of apps that have to wait for the admission of the local peer. They are looked at again after each input.
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

    mutating func hold(_ plan: NodeLink.Plan, on link: NodeLink) {
        link.state = .planned(plan)
        wait(link, isNew: true)
    }

    private mutating func goOn(with plan: NodeLink.Plan, on link: NodeLink) {
        let session = sessions[plan.session]
        if let session, now < plan.deadline, session.membership.isAwaitingAdmission {
            return wait(link, isNew: false)
        }
        link.state = .idle
        do throws(NodeRequestError) {
            guard let session else { throw .unknownSession }
            try invite(
                on: link, to: session, isNew: false, terms: plan.terms, context: plan.context,
                timeout: max(plan.deadline.duration(since: now), .milliseconds(1)), code: plan.code)
        } catch {
            cannotInvite(on: link, error)
            close(link, .unneeded)
        }
    }
}
