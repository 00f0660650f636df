import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerTransfers
import MultipeerWire

/// Invitations that come, and peers that wait for one.
extension PeerHost {
    func invited(on link: LinkNumber, _ invitation: ReceivedInvitation) async {
        guard let peer = registry.peer(on: link) else { return await decline(link, .declined) }
        if let attempt = registry.attempt(on: link), attempt.isJoining {
            return await accept(invitation, on: link, into: attempt.session)
        }
        guard let session = registry.session(invitation.session) ?? registry.owner(of: link) else {
            return await decline(link, .declined)
        }
        // Who is among others does not leave them for somebody else.
        guard session.id == invitation.session || session.members.isEmpty else { return await decline(link, .busy) }
        guard let handlers = session.handlers else { return await decline(link, .declined) }
        let shown = Invitation(
            peer: peer, context: invitation.context, timeout: invitation.timeout,
            isNewSession: invitation.isNewSession)
        let question = Task {
            let isAccepted = await handlers.accepts(shown)
            registry.answered(link)
            guard !Task.isCancelled else { return }
            if isAccepted {
                await accept(invitation, on: link, into: session)
            } else {
                await decline(link, .declined)
            }
        }
        registry.ask(on: link, question)
    }

    private func decline(_ link: LinkNumber, _ reason: DeclineReason) async {
        // A link that has ended meanwhile needs no answer.
        try? await node.perform { (node, now) throws(NodeRequestError) in try node.decline(link, reason, at: now) }
    }

    /// This side joins the session, and is in no other one any more.
    private func accept(_ invitation: ReceivedInvitation, on link: LinkNumber, into session: SessionCore) async {
        let (registry, terms, id) = (registry, session.terms, invitation.session)
        try? await node.perform { (node, now) throws(NodeRequestError) in
            let before = session.id
            // What verifies the peer has to be known before the link asks.
            registry.register(session, as: id)
            do throws(NodeRequestError) {
                try node.accept(link, with: terms, at: now)
            } catch {
                if let before { registry.register(session, as: before) }
                throw error
            }
            try node.setMemberTerms(terms, in: id)
            if let before, before != id { node.forget(before, at: now) }
        }
    }

    // MARK: Visits

    /// How long a peer that has connected may take to invite. One that does not waits to be invited.
    private static let courtesy: Duration = .milliseconds(500)

    func expectVisit(of peer: PeerID, on link: LinkNumber) {
        guard registry.attempt(on: link) == nil, let session = registry.owner(of: link),
            let admits = session.handlers?.admits
        else { return }
        let visit = Task {
            try? await Task.sleep(for: Self.courtesy)
            guard !Task.isCancelled, await isWaiting(link),
                registry.beginVisit(of: peer.key, at: SystemClock.monotonic())
            else { return }
            let isAdmitted = await admits(peer)
            registry.endVisit(of: peer.key)
            guard !Task.isCancelled else { return }
            if isAdmitted {
                _ = try? await invite(on: link, to: session, context: [], timeout: .seconds(30))
            } else {
                await node.close(link)
            }
        }
        registry.ask(on: link, visit)
    }

    private func isWaiting(_ link: LinkNumber) async -> Bool {
        let stage = try? await node.perform { (node, _) throws(NodeRequestError) in node.stage(of: link) }
        return stage == .identified
    }

    // MARK: Inviting

    /// Invites the peer of a link to the session, which is founded if it is in none yet.
    func invite(
        on link: LinkNumber, to session: SessionCore, context: [UInt8], timeout: Duration
    ) async throws(NodeRequestError) {
        let (registry, terms, parameters) = (registry, session.terms, session.parameters)
        try await node.perform { (node, now) throws(NodeRequestError) in
            // A session that was founded for an invitation ends with it.
            let known = session.id.flatMap { node.sessionIDs.contains($0) ? $0 : nil }
            let id = try node.invite(
                on: link, to: known, founding: parameters, terms: terms, context: context, timeout: timeout, at: now)
            registry.register(session, as: id)
            try node.setMemberTerms(terms, in: id)
        }
    }
}
