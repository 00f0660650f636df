import MultipeerCertificates
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
        if let attempt = registry.attempt(on: link), attempt.isJoining {
            return await accept(invitation, on: link, into: attempt.session)
        }
        if let advertiser = registry.advertiser(of: link) {
            return registry.ask(on: link, Task { await ask(advertiser, on: link, peer, invitation) })
        }
        guard let session = registry.session(invitation.session) ?? registry.owner(of: link) else {
            return await decline(link, .declined)
        }
        // Whatever the answer is, invitations of this side that have come to nothing for this one wait for it.
        registry.invited(on: link, invitation, to: session)
        guard session.mayJoin(invitation.session) else { return await decline(link, .busy) }
        guard let handlers = session.handlers else { return await decline(link, .declined) }
        guard await canAgree(invitation, on: link, session.terms.encryption) else { return }
        let shown = Invitation(invitation, of: peer)
        if await acceptIfWanted(invitation, of: peer.key, on: link, into: session) { return }
        let question = Task {
            await registry.waitForAttempts(of: session, to: peer.key, except: link)
            guard !Task.isCancelled else { return }
            guard session.mayJoin(invitation.session) else { return await decline(link, .busy) }
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

    /// Asks the app of an advertiser.
    private func ask(
        _ advertiser: WaitingInvitations, on link: LinkNumber, _ peer: PeerID, _ invitation: ReceivedInvitation
    ) async {
        if let own = advertiser.encryption {
            guard await canAgree(invitation, on: link, own) else { return registry.answered(link) }
        }
        let caller = await caller(peer, on: link, by: TrustOnFirstUseValidator(store: identity.knownPeers))
        guard !Task.isCancelled else { return }
        guard let acceptance = await advertiser.ask(Invitation(invitation, of: peer), from: caller) else {
            guard !Task.isCancelled else { return }
            registry.answered(link)
            return await decline(link, .declined)
        }
        let session = acceptance.session
        await registry.waitForAttempts(of: session, to: peer.key, except: link)
        // Whoever has cancelled the question decides on another link, or the peer waits no longer.
        guard !Task.isCancelled else { return acceptance.fail(.closed) }
        registry.answered(link)
        guard !session.isOver else {
            acceptance.fail(.stopped)
            return await decline(link, .declined)
        }
        guard session.mayJoin(invitation.session) else {
            if let attempt = acceptance.attempt { registry.welcome(peer.key, attempt, for: invitation.timeout) }
            return await decline(link, .busy)
        }
        if let attempt = acceptance.attempt, !registry.follow(link, attempt) {
            return attempt.resolve(.failure(.closed))
        }
        await accept(invitation, on: link, into: session)
    }

    /// Who is at the other end of a link.
    private func caller(_ peer: PeerID, on link: LinkNumber, by validator: any CertificateValidator) async -> Caller {
        let remote = await node.connection(of: link)?.remote
        return Caller(peer.key, from: remote, isKnown: await validator.recognizes(peer))
    }

    /// Nobody is asked about an invitation that cannot succeed: it is declined, and the peer is told why (R8.2-9).
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

    // MARK: Invitations that cross

    /// This side's invitation on a link has come to nothing because there is another link to the peer. Returns whether that one
    /// decides.
    func overtaken(on link: LinkNumber, otherwise error: ConnectionError) async -> Bool {
        guard let overtaken = registry.overtaken(on: link) else { return false }
        await wait(overtaken, otherwise: error)
        return true
    }

    /// Waits for what comes of another link to the peer. If nothing does in time, the call fails by `error`.
    func wait(_ overtaken: OvertakenAttempt, otherwise error: ConnectionError) async {
        overtaken.attempt.expire(with: error) { [registry] in registry.hasUndecidedLink(to: overtaken.peer) }
        // Who becomes connected is a member of the session before attempts are looked for, so one of both sees the other.
        if let member = overtaken.attempt.session.member(overtaken.peer)?.member {
            registry.forget(overtaken.attempt)
            return overtaken.attempt.resolve(.success(member))
        }
        let session = overtaken.attempt.session
        if session.isOver {
            registry.forget(overtaken.attempt)
            return overtaken.attempt.resolve(.failure(.stopped))
        }
        guard let (link, invitation) = registry.invitation(of: overtaken.peer, to: session) else { return }
        _ = await acceptIfWanted(invitation, of: overtaken.peer, on: link, into: session)
    }

    /// Accepts if the app has said so by its own invitation: both wanted a new session of the same rules, and would have merged
    /// unasked had they crossed a little closer (R8.6-3).
    private func acceptIfWanted(
        _ invitation: ReceivedInvitation, of peer: IdentityKey, on link: LinkNumber, into session: SessionCore
    ) async -> Bool {
        guard invitation.mayMerge, invitation.charter.parameters == session.parameters.fields,
            registry.isOvertaken(session, by: peer), await !isInSession(session)
        else { return false }
        registry.withdrawQuestion(on: link)
        await accept(invitation, on: link, into: session)
        return true
    }

    /// Invites like ``invite(on:to:context:timeout:)``. Who has just accepted an invitation, perhaps of the same peer, may invite as
    /// soon as it is admitted itself.
    func inviteOnceAdmitted(
        on link: LinkNumber, to session: SessionCore, context: [UInt8], timeout: Duration, code: OneTimeCode? = nil
    ) async throws(NodeRequestError) {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        var hasLookedAgain = false
        while true {
            do throws(NodeRequestError) {
                return try await invite(on: link, to: session, context: context, timeout: timeout, code: code)
            } catch {
                guard error == .mayNotAdmit, ContinuousClock.now < deadline,
                    (try? await Task.sleep(for: .milliseconds(10))) != nil
                else { throw error }
                guard await !isBeingAdmitted(to: session) else { continue }
                // It may have been admitted since it was asked to invite.
                guard !hasLookedAgain else { throw error }
                hasLookedAgain = true
            }
        }
    }

    private func isBeingAdmitted(to session: SessionCore) async -> Bool {
        guard let id = session.id, !session.isOver else { return false }
        let isWaiting = try? await node.perform { (node, _) throws(NodeRequestError) in
            node.sessionIDs.contains(id) && !node.isMember(of: id)
        }
        return isWaiting ?? false
    }

    private func isInSession(_ session: SessionCore) async -> Bool {
        guard let id = session.id else { return false }
        let isKnown = try? await node.perform { (node, _) throws(NodeRequestError) in node.sessionIDs.contains(id) }
        return isKnown ?? false
    }

    // MARK: Visits

    /// How long a peer that has connected may take to invite. One that does not waits to be invited.
    private static let courtesy: Duration = .milliseconds(500)

    /// The link on which the peer was told that this side is busy may not have ended yet.
    private func inviteWelcomed(on link: LinkNumber, to session: SessionCore) async {
        for _ in 0..<100 {
            do throws(NodeRequestError) {
                return try await inviteOnceAdmitted(on: link, to: session, context: [], timeout: .seconds(30))
            } catch {
                guard error == .alreadyLinked, (try? await Task.sleep(for: .milliseconds(50))) != nil else { return }
            }
        }
    }

    func expectVisit(of peer: PeerID, on link: LinkNumber) {
        if registry.advertiser(of: link) != nil, let session = registry.takeWelcome(peer.key) {
            return registry.ask(on: link, Task { await inviteWelcomed(on: link, to: session) })
        }
        guard registry.attempt(on: link) == nil, let session = registry.owner(of: link),
            let admits = session.handlers?.admits
        else { return }
        let visit = Task {
            try? await Task.sleep(for: Self.courtesy)
            guard !Task.isCancelled, await isWaiting(link) else { return }
            let caller = await caller(peer, on: link, by: session.validator)
            guard registry.beginVisit(of: caller, at: SystemClock.monotonic()) else { return }
            let isAdmitted = await admits(peer)
            registry.endVisit(of: caller)
            guard !Task.isCancelled else { return }
            if isAdmitted {
                _ = try? await invite(on: link, to: session, context: [], timeout: .seconds(30))
            } else {
                await node.close(link)
            }
        }
        registry.ask(on: link, visit)
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

    /// Invites the peer of a link to the session, which is founded if it is in none yet.
    func invite(
        on link: LinkNumber, to session: SessionCore, context: [UInt8], timeout: Duration, code: OneTimeCode? = nil
    ) async throws(NodeRequestError) {
        let (registry, terms, parameters) = (registry, session.terms, session.parameters)
        try await node.perform { (node, now) throws(NodeRequestError) in
            // A session that was founded for an invitation ends with it.
            let known = session.id.flatMap { node.sessionIDs.contains($0) ? $0 : nil }
            let id = try node.invite(
                on: link, to: known, founding: parameters, terms: terms, context: context, timeout: timeout,
                code: code, at: now)
            registry.register(session, as: id)
            try node.setMemberTerms(terms, in: id)
        }
    }
}

extension Acceptance {
    /// Nothing comes of it.
    func fail(_ error: ConnectionError) { attempt?.resolve(.failure(error)) }
}
