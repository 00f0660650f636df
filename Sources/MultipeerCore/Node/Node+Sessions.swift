public import MultipeerCrypto
public import MultipeerWire

/// What the app asks for about sessions and members.
extension Node {
    // MARK: Sessions

    /// Founds a session, of which the local peer is the first member.
    /// - Parameters:
    ///   - parameters: Its rules.
    ///   - group: The group to which it belongs; nil for one of its own.
    ///   - isProvisional: Whether it ends with its last link, if none of them has opened.
    ///   - now: The time.
    /// - Throws: ``NodeRequestError/crypto(_:)``.
    public mutating func found(
        _ parameters: CharterParameters = CharterParameters(), in group: GroupNumber? = nil,
        isProvisional: Bool = false, at now: Instant
    ) throws(NodeRequestError) -> SessionID {
        begin(at: now)
        defer { settle() }
        return try found(parameters, in: group, isProvisional: isProvisional).id
    }

    mutating func found(
        _ parameters: CharterParameters, in group: GroupNumber?, isProvisional: Bool
    ) throws(NodeRequestError) -> NodeSession {
        let charter = Charter(
            founder: key.rawBytes, nonce: environment.random.bytes(Charter.partLength), parameters: parameters.fields)
        guard let session = try? SessionCharter(charter, hashing: environment.crypto.hashing) else {
            throw .invalidMemory
        }
        let held = add(session, in: group, isProvisional: isProvisional, remembered: nil)
        do throws(LinkFailureCause) {
            try held.membership.announce(at: now)
        } catch {
            remove(held.id)
            throw NodeRequestError(error)
        }
        return held
    }

    /// Takes part again in a session of an earlier run (R14.7-1), and dials its members. A session that this node is in
    /// stays as it is.
    /// - Throws: ``NodeRequestError/invalidMemory``, ``NodeRequestError/crypto(_:)``.
    public mutating func join(
        _ memory: SessionMemory, in group: GroupNumber? = nil, at now: Instant
    ) throws(NodeRequestError) -> SessionID {
        begin(at: now)
        defer { settle() }
        guard let session = try? SessionCharter(memory.charter, hashing: environment.crypto.hashing) else {
            throw .invalidMemory
        }
        if let known = sessions[session.id] {
            known.enter(group, of: sessions.groups)
            return session.id
        }
        let held = add(session, in: group, isProvisional: false, remembered: memory.instance)
        do throws(LinkFailureCause) {
            try held.membership.recall(memory, at: now)
        } catch {
            remove(held.id)
            throw NodeRequestError(error)
        }
        guard held.membership.chain != nil else {
            remove(held.id)
            throw .invalidMemory
        }
        recall(memory.grudges, in: held)
        return held.id
    }

    /// What a later run needs of a session.
    public func memory(of session: SessionID) -> SessionMemory? {
        guard let held = sessions[session] else { return nil }
        var memory = held.membership.memory
        memory.grudges = grudges(in: held)
        return memory
    }

    /// Leaves a session, and all others of its group: all neighbours are notified, and all links are closed (R14.9-1, R14.11-9).
    /// - Throws: ``NodeRequestError/unknownSession``, ``NodeRequestError/crypto(_:)``.
    public mutating func leave(_ session: SessionID, at now: Instant) throws(NodeRequestError) {
        begin(at: now)
        defer { settle() }
        let held = try known(session)
        try leave(sessions.group(of: held.affiliation), in: held.group)
    }

    private mutating func leave(_ left: [NodeSession], in group: GroupNumber?) throws(NodeRequestError) {
        for held in left { try become(.left, in: held) }
        end(left, in: group)
    }

    /// The links of sessions that were left end, and what waits there is given up.
    mutating func end(_ left: [NodeSession], in group: GroupNumber?) {
        for held in left { accepted.forgetAll(for: held.affiliation) }
        for held in left {
            for link in links.all where link.isAlive && link.session == held.id { close(link, .app) }
            for reconnection in reconnections.all where reconnection.agreement.session == held.id {
                finish(reconnection, as: .closed)
            }
            for member in held.others { cancelAttempts(to: member, in: held.id, except: nil) }
        }
        if let group { takeBackWhatWaits(in: group) }
    }

    /// The app has left: the answers and invitations that it gave before, and which wait, go out no more (R8.2-10).
    mutating func takeBackWhatWaits(in group: GroupNumber) {
        for link in links.all where link.isAlive && link.group == group {
            switch link.state {
            case .planned: close(link, .unneeded)
            case .invited(let held): if held.isAccepted { decline(link, .declined) }
            case .idle, .preparing, .inviting, .agreed, .open, .over: break
            }
        }
    }

    /// Takes part again in a session that the local peer has left, and in the others of its group, by its old chains, and dials the
    /// others (SPEC §14.9).
    /// - Throws: ``NodeRequestError/unknownSession``, ``NodeRequestError/crypto(_:)``.
    public mutating func comeBack(to session: SessionID, at now: Instant) throws(NodeRequestError) {
        begin(at: now)
        defer { settle() }
        for held in sessions.group(of: try known(session)) {
            try become(.present, in: held)
            // Leaving has closed the links to all. Those that the app had turned away before stay so (R14.8-2).
            for member in held.others where !held.isTurnedAway(member) { held.welcome(member) }
            reconsiderAll(in: held)
        }
    }

    /// Says whether the local peer takes part. The neighbours are notified before anything else is done.
    mutating func become(
        _ presence: RosterEntry.Presence, in session: NodeSession
    ) throws(NodeRequestError) {
        do throws(LinkFailureCause) {
            try session.membership.become(presence, at: now)
        } catch {
            throw NodeRequestError(error)
        }
        _ = carryOutMembershipEvents()
    }

    /// Forgets a session. Its links are closed; members that invite hear that the local peer knows no such session.
    public mutating func forget(_ session: SessionID, at now: Instant) {
        begin(at: now)
        defer { settle() }
        forget(session)
    }

    private mutating func forget(_ session: SessionID) {
        for link in links.all where link.isAlive && link.session == session { close(link, .app) }
        for member in sessions[session]?.others ?? [] { cancelAttempts(to: member, in: session, except: nil) }
        remove(session)
    }

    /// Sets what the local peer brings into links between members of a session, in place of
    /// ``NodeConfiguration/memberTerms``.
    /// - Throws: ``NodeRequestError/unknownSession``.
    public mutating func setMemberTerms(_ terms: SessionTerms, in session: SessionID) throws(NodeRequestError) {
        try known(session).memberTerms = terms
    }

    func memberTerms(in session: NodeSession) -> SessionTerms { session.memberTerms ?? configuration.memberTerms }

    /// Changes what the local peer says of itself in all sessions: its name, and where it listens.
    public mutating func show(name: DisplayName, addresses: [MemberAddress], at now: Instant) {
        begin(at: now)
        defer { settle() }
        environment.configuration.link.displayName = name
        environment.configuration.addresses = addresses
        for session in sessions.inOrder {
            do throws(LinkFailureCause) {
                try session.membership.show(configuration.shown, at: now)
            } catch {
                signingFailed(error, in: session)
            }
        }
    }

    /// Sets which addresses of others are dialled from now on.
    public mutating func setAddressRules(_ rules: AddressRules, at now: Instant) {
        begin(at: now)
        defer { settle() }
        environment.configuration.addressRules = rules
        attempts.setRules(rules)
        for session in sessions.inOrder { reconsiderAll(in: session) }
    }

    // MARK: Members

    /// Asks for a member: whatever stood against it is lifted, but for a block, and it is dialled now (SPEC §14.10).
    /// - Throws: ``NodeRequestError/unknownSession``, ``NodeRequestError/unknownMember``.
    public mutating func dial(_ member: IdentityKey, in session: SessionID, at now: Instant) throws(NodeRequestError) {
        begin(at: now)
        defer { settle() }
        let held = try known(session)
        guard held.entry(of: member) != nil else { throw .unknownMember }
        askFor(member, in: held)
        held.note(member)
        reconsider(member, in: held)
        reconsiderThose(admittedBy: member, in: held)
    }

    /// Closes whatever link there is to a member. It is asked about, and not dialled, until the app asks for it.
    public mutating func disconnect(_ member: IdentityKey, in session: SessionID, at now: Instant) {
        begin(at: now)
        defer { settle() }
        guard let known = sessions[session] else { return }
        for held in sessions.group(of: known) {
            let shown = links.links(of: member).first { $0.session == held.id && !$0.chain.isEmpty }
            held.turnAway(member, showing: shown?.chain ?? [], avoiding: .closed)
            cancelAttempts(to: member, in: held.id, except: nil)
            reconsiderThose(admittedBy: member, in: held)
        }
        accepted.forget(member, for: known.affiliation)
        giveUpReconnections(to: member) { $0.affiliation.isOneGroup(with: known.affiliation) }
        for link in links.links(of: member) where link.isAlive && isOfGroup(link, session) { close(link, .app) }
    }

    /// Has no more to do with a peer, in whatever session. Its entries stay in rosters: others hear nothing (SPEC
    /// §14.10).
    public mutating func block(_ peer: IdentityKey, at now: Instant) {
        begin(at: now)
        defer { settle() }
        reputation.block(peer)
        accepted.forget(peer)
        for session in sessions.inOrder {
            cancelAttempts(to: peer, in: session.id, except: nil)
            session.note(peer)
            reconsiderThose(admittedBy: peer, in: session)
        }
        giveUpReconnections(to: peer)
        for link in links.links(of: peer) where link.isAlive { close(link, .app) }
    }

    /// Lifts a block, and what a peer that has misbehaved or refused has met. It is dialled where it is a member.
    public mutating func unblock(_ peer: IdentityKey, at now: Instant) {
        begin(at: now)
        defer { settle() }
        reputation.unblock(peer)
        reputation.forgive(peer)
        for session in sessions.inOrder where session.entry(of: peer) != nil {
            askFor(peer, in: session)
            session.note(peer)
            reconsider(peer, in: session)
            reconsiderThose(admittedBy: peer, in: session)
        }
    }

    // MARK: What there is

    /// The sessions of this node, in the order in which it entered them.
    public var sessionIDs: [SessionID] { sessions.inOrder.map(\.id) }

    /// Whether the local peer takes part in a session: it was admitted, and has not left.
    public func isMember(of session: SessionID) -> Bool { sessions[session]?.membership.isPresentMember ?? false }

    /// Whether the local peer may admit others to a session (R14.1-2, R14.2-2).
    public func mayAdmit(to session: SessionID) -> Bool { sessions[session]?.membership.mayAdmit ?? false }

    /// All members of a session that the local peer knows, itself excluded, in ascending order.
    public func members(of session: SessionID) -> [IdentityKey] { sessions[session]?.others ?? [] }

    /// What there is to see of a member.
    public func member(_ member: IdentityKey, in session: SessionID) -> MemberInfo {
        let content = sessions[session]?.entry(of: member)?.entry.content
        return MemberInfo(
            state: state(of: member, in: session), name: content?.name ?? [], addresses: content?.addresses ?? [],
            link: link(to: member, in: session))
    }

    /// The open link to a member.
    public func link(to member: IdentityKey, in session: SessionID) -> LinkNumber? {
        links.links(of: member).last { $0.isAlive && $0.isOpen && isOfGroup($0, session) }?.number
    }

    /// Whether a link is in a session, or in another one of its group.
    func isOfGroup(_ link: NodeLink, _ session: SessionID) -> Bool {
        link.session.map { isOfGroup($0, session) } ?? false
    }

    /// Whether two sessions are of one group.
    private func isOfGroup(_ other: SessionID, _ session: SessionID) -> Bool {
        guard other != session else { return true }
        guard let held = sessions[session], let others = sessions[other] else { return false }
        return held.sharing === others.sharing
    }

    /// The home of a group: the session in which all of it come together (SPEC §14.11); nil if it has nobody else yet.
    public func home(of group: GroupNumber) -> SessionID? {
        sessions.inOrder.first { $0.group == group }?.sharing.home?.session.id
    }

    /// The sessions of a group, in the order in which the local peer entered them.
    public func sessions(of group: GroupNumber) -> [SessionID] {
        sessions.inOrder.filter { $0.group == group }.map(\.id)
    }

    /// The state of a member (SPEC §14.10). It is derived, so that no two of the facts that it comes from can
    /// contradict each other.
    public func state(of member: IdentityKey, in session: SessionID) -> MemberState {
        let underWay = links.links(of: member).filter { $0.isAlive && $0.isUnderWay && isOfGroup($0, session) }
        if underWay.contains(where: { $0.isOpen }) { return .connected }
        if !underWay.isEmpty { return .linking }
        let isReconnecting = reconnections.reconnections(to: member).contains {
            isOfGroup($0.agreement.session, session)
        }
        if isReconnecting { return .reconnecting }
        if reputation.isBlocked(member) { return .refused }
        if reputation.hasMisbehaved(member) { return .misbehaved }
        guard let held = sessions[session] else { return .unknown }
        if held.record(of: member).avoidance?.isRefusal ?? false { return .refused }
        guard let entry = held.entry(of: member) else { return .unknown }
        return entry.isPresent ? .known : .gone
    }

    /// The digest of the local peer's roster: equal exactly where rosters are (SPEC §14.4). 32 bytes.
    public func rosterDigest(of session: SessionID) -> [UInt8]? { sessions[session]?.membership.roster.digest }

    func known(_ session: SessionID) throws(NodeRequestError) -> NodeSession {
        guard let held = sessions[session] else { throw .unknownSession }
        return held
    }
}

extension NodeRequestError {
    /// What a membership cannot do.
    init(_ cause: LinkFailureCause) {
        if case .crypto(let failure) = cause { self = .crypto(failure) } else { self = .invalidMemory }
    }
}
