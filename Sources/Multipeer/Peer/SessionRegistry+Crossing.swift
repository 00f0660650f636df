import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import Synchronization

/// Invitations that cross: where the local peer and a remote peer invite each other, another link may decide (SPEC
/// §8.7).
extension SessionRegistry {
    /// The app is asked about an invitation of the peer on a link.
    func invited(on link: LinkNumber, _ invitation: ReceivedInvitation, to session: SessionCore) {
        state.withLock { $0.links[link]?.invited = (invitation, session) }
    }

    /// Takes out the local invitation on a link: another link to the peer decides. Nil if there is none, or it is not
    /// known which peer it was for.
    func overtaken(on link: LinkNumber) -> OvertakenAttempt? {
        state.withLock { state in
            guard let known = state.links[link], let attempt = known.attempt, attempt.mayBeOvertaken,
                let peer = known.key
            else { return nil }
            state.links[link]?.attempt = nil
            let overtaken = OvertakenAttempt(attempt: attempt, peer: peer)
            state.overtaken.add(overtaken)
            return overtaken
        }
    }

    func forget(_ attempt: LinkAttempt) { state.withLock { $0.overtaken.remove(attempt) } }

    /// Whether there is a link to the peer that is not open, or one of which it is not known yet where it leads.
    func hasUndecidedLink(to peer: IdentityKey) -> Bool { state.withLock { $0.hasUndecidedLink(to: peer) } }

    /// A link between members was not made: invitations that waited for it fail, unless the app is being asked about another one.
    func failed(_ session: SessionCore, _ peer: IdentityKey) -> [LinkAttempt] {
        state.withLock { state in
            state.invitation(of: peer, to: session) == nil ? state.overtaken.take(of: session, to: peer) : []
        }
    }

    /// The local attempts to connect with a peer, and their links.
    func attempts(_ session: SessionCore, _ peer: IdentityKey) -> [(LinkNumber, LinkAttempt)] {
        state.withLock { state in
            state.links.compactMap { link, known in
                guard let attempt = known.attempt, attempt.session === session, known.key == peer,
                    !attempt.isAwaitingCode
                else { return nil }
                return (link, attempt)
            }
        }
    }

    /// What the end of a link means for local attempts.
    struct ClosedLink {
        /// They have ended with it.
        var failed: [LinkAttempt] = []
        /// Another link to the same peer decides.
        var overtaken: OvertakenAttempt?
    }
}

extension SessionRegistry.State {
    func hasUndecidedLink(to peer: IdentityKey) -> Bool {
        links.values.contains { $0.open == nil && ($0.key ?? peer) == peer }
    }

    /// Takes out the attempts for which a link was to decide that has ended without a session, unless another one may.
    private mutating func undecided(
        by known: SessionRegistry.KnownLink
    ) -> [LinkAttempt] {
        guard let peer = known.peer?.key else { return [] }
        guard let session = known.invited?.session else {
            return hasUndecidedLink(to: peer) ? [] : overtaken.take(to: peer)
        }
        return invitation(of: peer, to: session) == nil ? overtaken.take(of: session, to: peer) : []
    }

    /// The link on which a peer invites, if the app is asked.
    func invitation(of peer: IdentityKey, to session: SessionCore) -> (LinkNumber, SessionRegistry.KnownLink)? {
        links.first { $0.value.invited?.session === session && $0.value.peer?.key == peer && $0.value.open == nil }
            .map { ($0.key, $0.value) }
    }

    mutating func closed(
        _ known: SessionRegistry.KnownLink, _ end: LinkEnd
    ) -> SessionRegistry.ClosedLink {
        var closed = SessionRegistry.ClosedLink()
        if known.open == nil, !end.isGivenUpForAnother { closed.failed = undecided(by: known) }
        guard let attempt = known.attempt else { return closed }
        guard let peer = known.key, attempt.mayBeOvertaken, known.invited == nil,
            let session = attempt.session, end.isGivenUpForAnother || invitation(of: peer, to: session) != nil
        else {
            closed.failed.append(attempt)
            return closed
        }
        let waiting = OvertakenAttempt(attempt: attempt, peer: peer)
        overtaken.add(waiting)
        closed.overtaken = waiting
        return closed
    }
}
