import MultipeerCertificates
import MultipeerClock
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire

/// Invitations that come, and peers that wait for one.
extension PeerHost {
    func invited(on link: LinkNumber, _ invitation: ReceivedInvitation) async {
        guard let peer = registry.peer(on: link) else { return await decline(link, .declined) }
        if let attempt = registry.attempt(on: link), attempt.purpose == .joining, let session = attempt.session {
            return await accept(Acceptance(session: session), on: link)
        }
        // The peer takes its time, so that the app was asked about it as a visitor, and both invite: nobody is asked twice.
        if let admission = registry.admission(on: link) { return await accept(admission, on: link) }
        // Nobody is invited on a link that only verifies.
        if registry.attempt(on: link)?.purpose == .pairing { return await decline(link, .declined) }
        if let advertiser = registry.advertiser(of: link) {
            return registry.ask(on: link, Task { await ask(advertiser, on: link, peer, invitation) })
        }
        guard let session = registry.session(invitation.session) ?? registry.owner(of: link) else {
            return await decline(link, .declined)
        }
        guard let handlers = session.handlers else {
            // Nobody has declined where the session that listened is being left: the peer may invite again.
            return registry.isAccepted(link) ? await node.close(link) : await decline(link, .declined)
        }
        guard await canAgree(invitation, on: link, session.terms.encryption) else { return }
        let question = Task {
            let caller = await caller(peer, on: link, by: session.validator, isCounted: handlers.asksPerson)
            switch await handlers.answer(InvitationDetails(invitation, from: caller, named: peer), session) {
            case .accepted(let acceptance): await accept(acceptance, on: link)
            case .declined(let reason): await declineUnlessOver(link, reason)
            case nil: return
            }
        }
        registry.ask(on: link, question)
    }

    /// Asks the app of an advertiser.
    private func ask(
        _ advertiser: WaitingInvitations, on link: LinkNumber, _ peer: PeerID, _ invitation: ReceivedInvitation
    ) async {
        if let own = advertiser.encryption {
            guard await canAgree(invitation, on: link, own) else { return registry.answered(link) }
        }
        let caller = await caller(peer, on: link, by: TrustOnFirstUseValidator(store: identity.knownPeers))
        guard !Task.isCancelled else { return }
        switch await advertiser.ask(InvitationDetails(invitation, from: caller, named: peer)) {
        case .accepted(let acceptance): await accept(acceptance, on: link)
        case .declined(let reason): await declineUnlessOver(link, reason)
        case nil: return
        }
    }

    /// The app has said no. Where the question was cancelled, another link decides, or the peer waits no longer.
    private func declineUnlessOver(_ link: LinkNumber, _ reason: DeclineReason) async {
        guard !Task.isCancelled else { return }
        registry.answered(link)
        await decline(link, reason)
    }

    /// The app has said yes. A local peer that is among others stays with them: both sessions unite (SPEC §14.11).
    private func accept(_ acceptance: Acceptance, on link: LinkNumber) async {
        // If the question is cancelled, another link decides, or the peer waits no longer.
        guard !Task.isCancelled else { return acceptance.fail(.connection(.closed)) }
        let (registry, session) = (registry, acceptance.session)
        guard !session.isOver else {
            registry.answered(link)
            acceptance.fail(.connection(.stopped))
            return await decline(link, .declined)
        }
        let isTaken: Bool
        do throws(NodeRequestError) {
            isTaken = try await node.perform { (node, now) throws(NodeRequestError) in
                guard node.hasRoom(forPeerOf: link, in: session.group) else { throw .sessionFull }
                guard registry.accepts(acceptance, on: link) else { return false }
                try node.accept(link, into: session.group, with: session.terms, at: now)
                return true
            }
        } catch .sessionFull {
            registry.answered(link)
            acceptance.fail(.connection(.request(.sessionFull)))
            return await decline(link, .sessionFull)
        } catch {
            isTaken = false
        }
        // A link that has ended meanwhile needs no answer.
        guard isTaken else { return acceptance.fail(.connection(.closed)) }
        // The app may have left the session before the answer was known to wait for it.
        if session.isOver { await declineWaiting(for: session) }
    }

    /// The session is over: what it has accepted and still waits is declined.
    func declineWaiting(for session: SessionCore) async {
        for link in registry.waiting(for: session) { await decline(link, .declined) }
    }

    /// The peer that calls on a link.
    /// - Parameter isCounted: Whether anything is bounded by it.
    private func caller(
        _ peer: PeerID, on link: LinkNumber, by validator: any CertificateValidator, isCounted: Bool = true
    ) async -> Caller {
        guard isCounted else { return Caller(peer.key, from: nil, isKnown: true) }
        let remote = await node.connection(of: link)?.remote
        return Caller(peer.key, from: remote, isKnown: await validator.recognizes(peer))
    }

    /// Nobody is asked about an invitation that cannot succeed: it is declined, and the peer hears why (R8.2-9).
    private func canAgree(
        _ invitation: ReceivedInvitation, on link: LinkNumber, _ own: EncryptionPreference
    ) async -> Bool {
        if invitation.canAgree(with: own) { return true }
        await decline(link, .encryptionPolicy(own))
        return false
    }

    private func decline(_ link: LinkNumber, _ reason: DeclineReason) async {
        // A link that has ended meanwhile needs no answer.
        try? await node.perform { (node, now) throws(NodeRequestError) in try node.decline(link, reason, at: now) }
    }

    // MARK: Visits

    /// A peer that has connected does not invite: it waits to be invited.
    func visited(on link: LinkNumber) {
        guard let peer = registry.peer(on: link), registry.attempt(on: link) == nil,
            let session = registry.owner(of: link), let handlers = session.handlers, handlers.takesVisits
        else { return }
        let visit = Task {
            guard !Task.isCancelled, await isWaiting(link) else { return }
            let caller = await caller(peer, on: link, by: session.validator)
            // A peer that nobody is asked about hears so, and does not wait for its deadline (SPEC §19).
            let isBounded = handlers.asksPerson
            guard !isBounded || registry.beginVisit(of: caller) else { return await node.close(link, .limitExceeded) }
            let answer = await handlers.answer(
                InvitationDetails(asking: caller, named: peer, for: Self.patienceOfVisitors), session)
            let acceptance = if case .accepted(let acceptance) = answer { acceptance } else { Acceptance?.none }
            if isBounded { registry.endVisit(of: caller, isAdmitted: acceptance != nil) }
            guard !Task.isCancelled else {
                acceptance?.fail(.connection(.closed))
                return
            }
            if let acceptance { await admit(acceptance, on: link) } else { await node.close(link) }
        }
        registry.ask(on: link, visit)
    }

    /// How long a peer that asks to be invited waits, as far as the app is told.
    private static let patienceOfVisitors: Duration = .seconds(30)

    /// Invites a peer that has asked for it.
    private func admit(_ acceptance: Acceptance, on link: LinkNumber) async {
        guard registry.admits(acceptance, on: link) else { return acceptance.fail(.connection(.closed)) }
        do throws(NodeRequestError) {
            try await invite(on: link, to: acceptance.session, context: [], timeout: Self.patienceOfVisitors)
        } catch {
            acceptance.fail(.connection(.request(error)))
            await closeIfUnused(link)
        }
    }

    /// Closes a link on which nobody has invited.
    func closeIfUnused(_ link: LinkNumber) async {
        guard await isWaiting(link) else { return }
        await node.close(link)
    }

    private func isWaiting(_ link: LinkNumber) async -> Bool {
        let stage = try? await node.perform { (node, _) throws(NodeRequestError) in node.stage(of: link) }
        return stage == .identified
    }

    // MARK: Inviting

    /// Invites the peer of a link to the session, which is founded if it is in none yet. The node says what becomes of it.
    func invite(
        on link: LinkNumber, to session: SessionCore, context: [UInt8], timeout: Duration, code: OneTimeCode? = nil
    ) async throws(NodeRequestError) {
        let (registry, terms, parameters, group) = (registry, session.terms, session.parameters, session.group)
        try await node.perform { (node, now) throws(NodeRequestError) in
            // A session that was founded for an invitation ends with it.
            var known = node.home(of: group) ?? session.id.flatMap { node.sessionIDs.contains($0) ? $0 : nil }
            if known == nil, session.isFoundedFirst {
                known = try node.found(parameters, in: group, isProvisional: true, at: now)
            }
            // What verifies the peer has to be known where its own invitation crosses this one.
            registry.invites(session, on: link)
            registry.beginCall(on: link)
            let id: SessionID
            do throws(NodeRequestError) {
                id = try node.invite(
                    on: link, to: known, in: group, founding: parameters, terms: terms, context: context,
                    timeout: timeout, code: code, patience: .forConnection, at: now)
            } catch {
                registry.cancelCall(on: link)
                throw error
            }
            // If the peer has invited on the link, its session is not one of the local peer's before the app has said yes.
            guard node.sessionIDs.contains(id) else { return }
            registry.register(session, as: id)
            try node.setMemberTerms(terms, in: id)
        }
    }
}

extension Acceptance {
    /// Nothing comes of it.
    func fail(_ error: MultipeerError) { attempt?.resolve(.failure(error)) }
}
