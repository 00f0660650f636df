public import MultipeerCertificates
public import MultipeerCrypto
public import MultipeerWire

/// What the app asks for, and how it answers, about links. A refused request changes nothing.
extension Node {
    // MARK: Invitations

    /// Invites the peer of a link that the app opened or that came; as soon as its identity is known.
    ///
    /// Where the local peer may not admit anybody but holds an entry of the peer that it expects, it invites as a
    /// member to a member (R14.1-2).
    /// - Parameters:
    ///   - number: The link.
    ///   - session: The session; nil for a new one, which is founded for this invitation.
    ///   - group: The group of a new session; nil for one of its own.
    ///   - parameters: The rules of a new session.
    ///   - terms: What the local peer brings.
    ///   - context: Opaque bytes for the peer's app; at most 16,384.
    ///   - timeout: How long to wait for the answer: 1 ms to 10 minutes.
    ///   - code: A one-time code that the peer's person has told. It has to be right before INVITE goes out; if it is not, or the
    ///     peer knows no codes, nothing of the invitation is sent (SPEC §25.7).
    ///   - patience: What the invitation may wait for. The app hears by ``NodeEffect/notInvited(_:_:)`` if it waits in vain, and by
    ///     ``NodeEffect/callEnded(_:_:)`` what becomes of a call.
    ///   - now: The time.
    /// - Returns: The session.
    /// - Throws: ``NodeRequestError``.
    @discardableResult
    public mutating func invite(
        on number: LinkNumber, to session: SessionID? = nil, in group: GroupNumber? = nil,
        founding parameters: CharterParameters = CharterParameters(),
        terms: SessionTerms, context: [UInt8] = [], timeout: Duration = .seconds(30), code: OneTimeCode? = nil,
        patience: InvitationPatience = .none, at now: Instant
    ) throws(NodeRequestError) -> SessionID {
        begin(at: now)
        defer { settle() }
        guard let link = links[number], link.isAlive else { throw .unknownLink }
        guard case .idle = link.state else {
            // The peer has invited on it, and that decides.
            guard patience == .forConnection, link.isUnderWay, let affiliation = link.affiliation else {
                throw .alreadyLinked
            }
            beginCall(on: link, in: affiliation, within: timeout)
            return affiliation.session
        }
        if let session, let held = sessions[session], patience != .none, held.membership.isAwaitingAdmission {
            let deadline = now.advanced(by: timeout)
            hold(
                NodeLink.Plan(session: session, terms: terms, context: context, code: code, deadline: deadline),
                on: link)
            if patience == .forConnection { beginCall(on: link, in: held.affiliation, within: timeout) }
            return session
        }
        let held = try sessionToInvite(session, in: group, founding: parameters)
        do throws(NodeRequestError) {
            try invite(
                on: link, to: held, isNew: session == nil, terms: terms, context: context, timeout: timeout, code: code)
        } catch {
            defer { dropProvisional(held.id) }
            guard patience == .forConnection, error == .alreadyLinked, let key = link.key,
                let other = sessionThatForbids(inviting: key, in: held.affiliation, on: link)
            else { throw error }
            beginCall(on: link, in: held.affiliation, within: timeout)
            cannotInvite(on: link, error)
            close(link, .unneeded)
            return other
        }
        if patience == .forConnection { beginCall(on: link, in: held.affiliation, within: timeout) }
        return held.id
    }

    private mutating func sessionToInvite(
        _ id: SessionID?, in group: GroupNumber?, founding parameters: CharterParameters
    ) throws(NodeRequestError) -> NodeSession {
        guard let id else { return try found(parameters, in: group, isProvisional: true) }
        guard let held = sessions[id] else { throw .unknownSession }
        return held
    }

    /// Invites to a session that there is by now; a new one was founded for this.
    mutating func invite(
        on link: NodeLink, to session: NodeSession, isNew: Bool, terms: SessionTerms, context: [UInt8],
        timeout: Duration, code: OneTimeCode?
    ) throws(NodeRequestError) {
        let invited = try invitedSession(session, isNew: isNew, for: link)
        let invitation = OutgoingInvitation(
            terms: terms, session: invited.session, context: context, timeout: timeout)
        link.group = session.group
        try begin(
            NodeLink.OwnInvitation(session: session.id, invitation: invitation, kind: invited.kind, code: code),
            on: link)
    }

    /// What INVITE says of the session.
    private func invitedSession(
        _ session: NodeSession, isNew: Bool, for link: NodeLink
    ) throws(NodeRequestError) -> (session: InvitedSession, kind: SessionKind) {
        let charter = session.charter.charter
        if isNew { return (.founded(charter), .new) }
        guard session.membership.isPresentMember, let chain = session.membership.chain?.admissions else {
            throw .mayNotAdmit
        }
        if session.membership.mayAdmit { return (.existing(charter, chain: chain), .existing) }
        guard link.link.role == .initiator, let member = link.expected, session.entry(of: member) != nil else {
            throw .mayNotAdmit
        }
        return (.members(charter, chain: chain), .members)
    }

    /// The INVITE goes out now, with PROOF, or once the peer is identified, or its code was right.
    private mutating func begin(_ own: NodeLink.OwnInvitation, on link: NodeLink) throws(NodeRequestError) {
        // A code goes to a peer of which it is known whether it knows codes.
        let mayGo = link.peer != nil || link.expected != nil && own.code == nil
        guard mayGo, let key = link.key else {
            link.state = .preparing(own)
            return
        }
        try check(own, to: key, except: link)
        try launch(own, on: link)
        welcome(key, in: own.session)
    }

    /// Whether an INVITE may go out (R8.7-2, R13.5-6, R14.1-2).
    func check(_ own: NodeLink.OwnInvitation, to key: IdentityKey, except link: NodeLink) throws(NodeRequestError) {
        let affiliation = Affiliation(group: link.group, session: own.session)
        guard sessionThatForbids(inviting: key, in: affiliation, on: link) == nil else { throw .alreadyLinked }
        guard !reputation.isBlocked(key) else { throw .blocked }
        guard !unconsumed.areTooMany(of: key, in: own.session) else { throw .tooMuchUntaken }
        guard let session = sessions[own.session] else { throw .unknownSession }
        guard own.kind != .members, session.entry(of: key) == nil else { return }
        guard mayInviteStranger(key, to: session) else { throw .sessionFull }
    }

    /// The session of another link, or of an association, because of which no INVITE to a peer may go out (R8.7-2).
    private func sessionThatForbids(
        inviting key: IdentityKey, in affiliation: Affiliation, on link: NodeLink
    ) -> SessionID? {
        let other = others(to: key, in: affiliation).first { $0 !== link && $0.forbidsInvitation }
        return other?.session ?? (isReconnecting(to: key, in: affiliation) ? affiliation.session : nil)
    }

    /// Whether the session has room for a peer without an entry, beside those that are invited already (R14.1-2).
    func mayInviteStranger(_ key: IdentityKey, to session: NodeSession) -> Bool {
        let invited = invitedStrangers(in: session, except: key)
        return session.memberCount(invited: invited, at: now) < session.charter.parameters.maximumMembers
    }

    /// Whether a group takes the peer that has invited on a link. A home that is full takes nobody, also where the peer
    /// invites to another session: it could not come into the home (SPEC §14.11).
    public func hasRoom(forPeerOf number: LinkNumber, in group: GroupNumber) -> Bool {
        guard let link = links[number], let key = link.key, let invitation = link.peerInvitation,
            let home = home(of: group).flatMap({ sessions[$0] }), home.entry(of: key) == nil
        else { return true }
        return sessions[invitation.session]?.group == group || mayInviteStranger(key, to: home)
    }

    /// How many peers without an entry have an invitation, or a link, that has not ended (R14.1-2).
    private func invitedStrangers(in session: NodeSession, except key: IdentityKey) -> Int {
        let strangers = links.all.filter { link in
            guard link.isAlive else { return false }
            if link.membership?.hasOffered(session.id) ?? false { return true }
            return link.session == session.id && (link.isUnderWay || link.waitingInvitation != nil)
        }.compactMap(\.key)
        let reconnecting = reconnections.all.filter { $0.agreement.session == session.id }.map(\.member)
        return Set((strangers + reconnecting).filter { $0 != key && session.entry(of: $0) == nil }).count
    }

    /// Accepts an invitation (``NodeEffect/invited(_:_:_:)``). The remote peer is welcome from then on, and the local
    /// peer comes back to a session that it has left. While another link of the group to the peer is open, the answer waits
    /// (R8.7-7).
    /// - Parameters:
    ///   - number: The link.
    ///   - group: The group of a session that the node does not know yet; nil for the one of the link, or else for one of its own.
    ///   - terms: What the local peer brings. The app hears by ``NodeEffect/invitationAccepted(_:_:into:)`` that ACCEPT goes out.
    ///   - now: The time.
    /// - Throws: ``NodeRequestError/unknownLink``, ``NodeRequestError/tooMuchUntaken``, ``NodeRequestError/crypto(_:)``.
    public mutating func accept(
        _ number: LinkNumber, into group: GroupNumber? = nil, with terms: SessionTerms, at now: Instant
    ) throws(NodeRequestError) {
        begin(at: now)
        defer { settle() }
        let (link, invitation) = try invitedLink(number)
        guard let key = link.key else { throw .unknownLink }
        reputation.forgive(key)
        guard !unconsumed.areTooMany(of: key, in: invitation.session) else { throw .tooMuchUntaken }
        if let session = sessions[invitation.session] {
            if session.membership.presence != .present { session.enter(group ?? link.group, of: sessions.groups) }
            try become(.present, in: session)
            link.group = session.group
        } else {
            link.group = group ?? link.group
        }
        link.isAcceptedByApp = true
        let affiliation = Affiliation(group: link.group, session: invitation.session)
        accepted.note(
            invitation.invitation, of: key, for: affiliation, with: terms, came: invitation.came, at: now)
        replaceEarlier(by: link)
        accept(link, with: terms)
    }

    /// Declines an invitation. If its sender is a member, it is asked about from then on (R14.8-2).
    /// - Throws: ``NodeRequestError/unknownLink``.
    public mutating func decline(
        _ number: LinkNumber, _ reason: DeclineReason = .declined, at now: Instant
    ) throws(NodeRequestError) {
        begin(at: now)
        defer { settle() }
        let (link, invitation) = try invitedLink(number)
        if let key = link.key, let affiliation = link.affiliation { accepted.forget(key, for: affiliation) }
        if let key = link.key, let session = sessions[invitation.session] { turnAway(key, on: link, in: session) }
        decline(link, reason)
    }

    private func invitedLink(
        _ number: LinkNumber
    ) throws(NodeRequestError) -> (NodeLink, NodeLink.PeerInvitation) {
        guard let link = links[number], link.isAlive, case .invited(let invitation) = link.state else {
            throw .unknownLink
        }
        return (link, invitation)
    }

    // MARK: Certificates

    /// Gives the verdict on a peer (``NodeEffect/verify(_:_:_:)``).
    /// - Throws: ``NodeRequestError/unknownLink``, ``NodeRequestError/link(_:)``.
    public mutating func submitVerdict(
        _ verdict: Verdict, for token: LinkToken, on number: LinkNumber, at now: Instant
    ) throws(NodeRequestError) {
        begin(at: now)
        defer { settle() }
        guard let link = links[number] else { throw .unknownLink }
        do throws(RequestError) {
            if case .accepted = verdict, mustHoldReady(of: link) {
                try link.link.requireOpen(.verdict(token), at: now)
                return hold(verdict, for: token, on: link)
            }
            try link.link.submitVerdict(verdict, for: token, at: now)
            if case .accepted = verdict { link.isReadySent = true }
        } catch {
            throw .link(error)
        }
    }

    // MARK: Closing

    /// Closes a link; an open one in good order if there is no code. If it is one to a member, that is not dialled any more,
    /// and asked about, until the app asks for it (R14.8-2, R14.9-3). A call on it is given up, and its outcome does not come.
    public mutating func close(_ number: LinkNumber, _ code: CloseCode = .noError, at now: Instant) {
        begin(at: now)
        defer { settle() }
        calls.remove(number)
        if let reconnection = reconnections.reconnection(of: number) {
            if let session = sessions[reconnection.agreement.session] {
                turnAway(reconnection.member, showing: reconnection.chain, in: session)
            }
            return finish(reconnection, as: .closed)
        }
        guard let link = links[number] else { return }
        if let key = link.key, let session = link.session.flatMap({ sessions[$0] }) {
            turnAway(key, on: link, in: session)
        }
        close(link, .app, code: code)
    }

    /// Ends a link because a limit of the driver does not let it continue. That is a loss, and no choice of the app's.
    public mutating func fail(_ number: LinkNumber, _ limit: LocalLimit, at now: Instant) {
        defer { settle() }
        reach(number, at: now)?.link.fail(limit, at: now)
    }

    private mutating func turnAway(_ member: IdentityKey, on link: NodeLink, in session: NodeSession) {
        turnAway(member, showing: link.chain, in: session)
    }

    private mutating func turnAway(_ member: IdentityKey, showing chain: [Admission], in session: NodeSession) {
        accepted.forget(member, for: session.affiliation)
        // It holds in all sessions of the group (R14.11-9).
        for held in sessions.group(of: session) {
            held.turnAway(member, showing: chain)
            reconsiderThose(admittedBy: member, in: held)
        }
    }

    /// The app wants a member: what it has done wrong is forgiven.
    mutating func welcome(_ member: IdentityKey, in session: SessionID) {
        guard let session = sessions[session] else { return reputation.forgive(member) }
        askFor(member, in: session)
    }

    /// The same, and its hosts are tried as if nothing had been (R14.8-8).
    mutating func askFor(_ member: IdentityKey, in session: NodeSession) {
        reputation.forgive(member)
        for held in sessions.group(of: session) {
            held.askFor(member)
            for target in held.targets(of: member) { attempts.renew(target) }
        }
    }
}
