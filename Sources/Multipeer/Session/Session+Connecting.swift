import MultipeerCore
public import MultipeerCrypto
public import MultipeerNIO
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire

extension Session {
    /// Listens for peers, and shows its address to them and to all members. A session can listen at several addresses.
    ///
    /// Members come and go by themselves. Peers that invite the local one, or ask to be invited (``join(_:expecting:)``), wait in
    /// ``invitations`` for the app's answer.
    ///
    /// At an address of this host alone (`127.0.0.1`, `[::1]`, `unix:PATH`) other members of this host are reached as well, which
    /// are not otherwise.
    /// - Parameter endpoint: At the host `0.0.0.0` it is every address of this host; for port 0 the system chooses one.
    /// - Returns: Where it listens, with the port that the system chose.
    /// - Throws: ``MultipeerError``, with the code `cannotListen`.
    @discardableResult
    public func listen(at endpoint: Endpoint) async throws(MultipeerError) -> Endpoint {
        try await listen(at: endpoint, InvitationHandlers(core.invitations))
    }

    /// The invitations and the requests to join that come where this session listens (``listen(at:)``). They end when the session is left.
    ///
    /// ```swift
    /// for await invitation in session.invitations {
    ///     invitation.accept(into: session)
    /// }
    /// ```
    ///
    /// A peer that is not let in may ask again: the app is asked about it 4 times in a minute, and others hear that it is not asked.
    public var invitations: Invitations { Invitations(waiting: core.invitations, owner: self) }

    /// Listens for an app that answers at once, by closures.
    /// - Parameters:
    ///   - endpoint: Where to listen.
    ///   - refusal: Why the local peer does not join the session of a peer that invites; nil if it does. The
    ///     task is cancelled when the peer waits no longer.
    ///   - admits: Whether a peer that asks to be invited is; nil if nobody is.
    ///   - asksPerson: Whether they may ask a person, who must not be asked without end.
    @discardableResult
    package func listen(
        at endpoint: Endpoint, refusing refusal: @escaping @Sendable (InvitationDetails) async -> InvitationRefusal?,
        admitting admits: (@Sendable (PeerID) async -> Bool)? = nil, asksPerson: Bool = true
    ) async throws(MultipeerError) -> Endpoint {
        try await listen(at: endpoint, InvitationHandlers(refusal: refusal, admits: admits, asksPerson: asksPerson))
    }

    private func listen(
        at endpoint: Endpoint, _ handlers: InvitationHandlers
    ) async throws(MultipeerError) -> Endpoint {
        let listener = try await peer.host.listen(at: endpoint, as: .session(core))
        core.begin(listener, handlers)
        await peer.host.tellAddresses()
        return listener.localEndpoint
    }

    /// Invites the peer at an address, and returns when it is connected. It is then connected with the other members by itself.
    ///
    /// If the peer invites the local peer at the same time, each app answers the other one's invitation. One yes is enough, and both
    /// calls return when the two are connected. If the peer is connected already, the call returns at once. A call that is cancelled withdraws
    /// the invitation; if the peer has become connected all the same, it returns the member.
    /// - Parameters:
    ///   - endpoint: Where it listens.
    ///   - key: The key that the peer must have; nil for any peer that answers there, as far as the session trusts it.
    ///   - context: What its app receives, at most 16,384 bytes.
    ///   - timeout: How long it may take to answer: 1 ms to 10 minutes.
    ///   - code: The code that the peer shows (``Peer/showCode(number:)``), if its person has told it. The peer is invited once it
    ///     was right, and its key is verified then.
    /// - Throws: ``MultipeerError``.
    @discardableResult
    public func invite(
        _ endpoint: Endpoint, expecting key: IdentityKey? = nil, context: String = "", timeout: Duration = .seconds(30),
        code: OneTimeCode? = nil
    ) async throws(MultipeerError) -> Member {
        try await untilHeard(within: timeout) { (timeout) throws(MultipeerError) in
            let attempt = LinkAttempt(core, Self.purpose(code), expecting: key)
            return try await self.connect(to: endpoint, attempt) { (link) throws(MultipeerError) in
                try await self.invite(on: link, Array(context.utf8), timeout, code)
            }
        }
    }

    /// How often a peer is called whose own invitation comes first.
    private static let mostCalls = 3

    /// Invites, and again if the peer's own invitation has taken the place of this one on its link, and the local app has declined that:
    /// to decline is not to withdraw (R8.6-4). A peer invites where it has waited in vain for an invitation, as on a busy computer.
    private func untilHeard(
        within timeout: Duration, _ invite: (Duration) async throws(MultipeerError) -> Member
    ) async throws(MultipeerError) -> Member {
        let clock = core.host.clock
        let deadline = clock.now.advanced(by: timeout)
        var left = timeout
        for _ in 1..<Self.mostCalls {
            do throws(MultipeerError) {
                return try await invite(left)
            } catch {
                left = clock.now.duration(to: deadline)
                guard error.isOwnRefusal, !Task.isCancelled, left >= .milliseconds(1) else { throw error }
            }
        }
        return try await invite(left)
    }

    /// Invites the peer of a link that was read from a QR code, or typed: the peer with its key, at the first of its addresses
    /// that leads there, by its code if it has one.
    /// - Throws: ``MultipeerError``.
    @discardableResult
    public func invite(
        _ link: PeerLink, context: String = "", timeout: Duration = .seconds(30)
    ) async throws(MultipeerError) -> Member {
        try await invite(PeerPlaces(link), context: Array(context.utf8), timeout: timeout, code: link.code)
    }

    /// Invites a peer that may be reached at several addresses. The context is any bytes, at most 16,384.
    @discardableResult
    package func invite(
        _ places: PeerPlaces, context: [UInt8], timeout: Duration, code: OneTimeCode? = nil,
        whereRenamed isMeant: @Sendable (PeerID) async -> Bool = { _ in false }
    ) async throws(MultipeerError) -> Member {
        try await untilHeard(within: timeout) { (timeout) throws(MultipeerError) in
            guard !self.core.isOver else { throw .connection(.stopped) }
            let (link, attempt) = try await self.peer.host.reach(
                places, for: self.core, Self.purpose(code), timeout: timeout)
            return try await self.complete(attempt, on: link) { (link) throws(MultipeerError) in
                try await self.checkName(of: link, places.name, isMeant)
                try await self.invite(on: link, context, timeout, code)
            }
        }
    }

    /// A peer that was chosen by a name must have it (R23.5-3), unless it is meant all the same.
    private func checkName(
        of link: LinkNumber, _ name: DisplayName?, _ isMeant: @Sendable (PeerID) async -> Bool
    ) async throws(MultipeerError) {
        guard let name, let shown = peer.host.registry.peer(on: link), shown.displayName != name else { return }
        guard await isMeant(shown) else { throw .connection(.otherName(shown)) }
    }

    private static func purpose(_ code: OneTimeCode?) -> LinkAttempt.Purpose {
        code == nil ? .inviting : .invitingByCode
    }

    func invite(
        on link: LinkNumber, _ context: [UInt8], _ timeout: Duration, _ code: OneTimeCode?
    ) async throws(MultipeerError) {
        let registry = peer.host.registry
        do throws(NodeRequestError) {
            // What was decided on another link meanwhile is not asked again.
            guard registry.attempt(on: link) != nil else { return }
            try await peer.host.invite(on: link, to: core, context: context, timeout: timeout, code: code)
        } catch {
            // Why the link has ended meanwhile, the attempt hears by the link's own end.
            if error == .unknownLink || error == .link(.wrongStage(.closed)) { return }
            throw .connection(.request(error))
        }
    }

    /// Asks a member of a session to be invited, and returns when the local peer is connected. The invitation of that
    /// member is accepted. If the member is connected already, the call returns at once.
    /// - Parameters:
    ///   - endpoint: Where the member listens.
    ///   - key: The key that the peer must have; nil for any peer that answers there, as far as the session trusts it.
    /// - Throws: ``MultipeerError``, with the code `closed` if the member does not invite.
    @discardableResult
    public func join(_ endpoint: Endpoint, expecting key: IdentityKey? = nil) async throws(MultipeerError) -> Member {
        let attempt = LinkAttempt(core, .joining, expecting: key)
        return try await connect(to: endpoint, attempt) { _ in }
    }

    /// Asks a peer that may be reached at several addresses to be invited (``join(_:expecting:)``).
    /// - Parameters:
    ///   - places: Where it is.
    ///   - timeout: How long reaching it may take. The caller bounds the rest by cancelling its task.
    @discardableResult
    package func join(_ places: PeerPlaces, timeout: Duration) async throws(MultipeerError) -> Member {
        guard !core.isOver else { throw .connection(.stopped) }
        let (link, attempt) = try await peer.host.reach(places, for: core, .joining, timeout: timeout)
        return try await complete(attempt, on: link) { _ in }
    }

    private func connect(
        to endpoint: Endpoint, _ attempt: LinkAttempt, _ begin: (LinkNumber) async throws(MultipeerError) -> Void
    ) async throws(MultipeerError) -> Member {
        guard !core.isOver else { throw .connection(.stopped) }
        let link = try await peer.host.connect(to: endpoint, for: attempt)
        return try await complete(attempt, on: link, begin)
    }

    /// Begins on a link that an attempt has made, and waits for what comes of it.
    func complete(
        _ attempt: LinkAttempt, on link: LinkNumber, _ begin: (LinkNumber) async throws(MultipeerError) -> Void
    ) async throws(MultipeerError) -> Member {
        do throws(MultipeerError) {
            try await begin(link)
        } catch {
            // What becomes of the peer's own invitation on this link is what the call waits for, unless it asked for a code.
            let kept: Set<LinkStage> = attempt.isAwaitingCode ? [] : [.certificates, .open]
            if await peer.host.giveUp(link, unless: kept) { throw error }
        }
        guard let outcome = await attempt.wait() else { return try await peer.host.cancel(attempt, on: link) }
        // The member may have been reached on another one.
        await peer.host.closeIfUnused(link)
        return try outcome.get()
    }
}

extension MultipeerError {
    /// Whether the local peer has declined the peer's invitation.
    package var isOwnRefusal: Bool {
        if case .link(let failure) = cause, case .invitation(.declined) = failure.cause { true } else { false }
    }
}

extension PeerHost {
    /// Closes a link that an attempt has made, unless it is at one of these stages. What is open already belongs to the
    /// session, whose app hears of the member. Returns whether it is closed.
    @discardableResult
    func giveUp(_ link: LinkNumber, unless kept: Set<LinkStage> = [.open]) async -> Bool {
        let isGivenUp = try? await node.perform { (node, now) throws(NodeRequestError) in
            if kept.contains(node.stage(of: link)) { return false }
            node.close(link, at: now)
            return true
        }
        guard isGivenUp ?? true else { return false }
        registry.removeAttempt(on: link)
        return true
    }

    /// The call was cancelled that waits for an attempt. If that has succeeded all the same, the member stays.
    func cancel(_ attempt: LinkAttempt, on link: LinkNumber) async throws(MultipeerError) -> Member {
        guard await !giveUp(link) else { throw .connection(.cancelled) }
        // What has opened is reported in the next moment, or has ended.
        guard let outcome = await Task(operation: { await attempt.wait() }).value else { throw .connection(.cancelled) }
        return try outcome.get()
    }

    func connect(to endpoint: Endpoint, for attempt: LinkAttempt) async throws(MultipeerError) -> LinkNumber {
        do throws(ConnectError) {
            return try await node.connect(
                to: endpoint, expecting: attempt.expected, tagged: attempt.tag, for: attempt.session?.group
            ) { [registry] in
                registry.add(attempt, on: $0)
            }
        } catch {
            throw .connection(.unreachable(error))
        }
    }
}
