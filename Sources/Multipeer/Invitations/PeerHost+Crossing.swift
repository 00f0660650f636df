import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerWire

/// Invitations that cross (SPEC §8.7).
extension PeerHost {
    /// A link has opened in a session of the app. Its next invitations are to the home of the group.
    func settle(_ session: SessionCore, in id: SessionID) async {
        let (registry, terms) = (registry, session.terms)
        try? await node.perform { (node, _) throws(NodeRequestError) in
            registry.register(session, as: node.home(of: session.group) ?? id)
            try node.setMemberTerms(terms, in: id)
        }
    }

    /// The local invitation on a link was overtaken because there is another link to the peer. Returns whether that
    /// link decides.
    func overtaken(on link: LinkNumber, otherwise error: MultipeerError) async -> Bool {
        guard let overtaken = registry.overtaken(on: link) else { return false }
        await wait(overtaken, otherwise: error)
        return true
    }

    /// Waits for what comes of another link to the peer. If nothing does in time, the call fails by `error`.
    func wait(_ overtaken: OvertakenAttempt, otherwise error: MultipeerError) async {
        overtaken.attempt.expire(with: error) { [registry] in registry.hasUndecidedLink(to: overtaken.peer) }
        // A peer that becomes connected is a member of the session before attempts are looked for, so one of the two
        // sees the other.
        guard let session = overtaken.attempt.session, !session.isOver else {
            registry.forget(overtaken.attempt)
            return overtaken.attempt.resolve(.failure(.connection(.stopped)))
        }
        if let member = session.member(overtaken.peer)?.member {
            registry.forget(overtaken.attempt)
            return overtaken.attempt.resolve(.success(member))
        }
    }

    /// Waits until a session that has connected members has admitted the local peer. It does so right after the link
    /// has opened.
    func waitForAdmission(to session: SessionCore) async {
        for _ in 0..<50 {
            guard !session.members.isEmpty, await isBeingAdmitted(to: session),
                (try? await Task.sleep(for: .milliseconds(10))) != nil
            else { return }
        }
    }

    private func isBeingAdmitted(to session: SessionCore) async -> Bool {
        guard !session.isOver else { return false }
        // In each session in which it is connected with somebody: it may have founded another one.
        let sessions = Set(session.members.map(\.session))
        let isWaiting = try? await node.perform { (node, _) throws(NodeRequestError) in
            sessions.contains { node.sessionIDs.contains($0) && !node.isMember(of: $0) }
        }
        return isWaiting ?? false
    }
}
