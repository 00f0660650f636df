import MultipeerCore
public import MultipeerCrypto
public import MultipeerNIO
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire

extension Session {
    /// Listens for peers, and tells them and all members where. A session can listen at several addresses.
    ///
    /// At an address of this host alone (`127.0.0.1`, `[::1]`, `unix:PATH`) other members of this host are reached as well, which
    /// are not otherwise.
    /// - Parameters:
    ///   - address: `HOST:PORT`, `[IPv6 address]:PORT` or `unix:PATH`. At `0.0.0.0` it is every address of this host; for port 0
    ///     the system chooses one.
    ///   - accepts: Whether this side joins the session of a peer that invites. No invitation is accepted by default. The task is
    ///     cancelled when the peer waits no longer.
    ///   - admits: Whether a peer that asks to be invited (``join(_:expecting:timeout:)``) is. Nobody is by default.
    /// - Returns: Where it listens, with the port that the system chose.
    /// - Throws: ``ListenError``.
    @discardableResult
    public func listen(
        at address: String, accepting accepts: @escaping @Sendable (Invitation) async -> Bool = { _ in false },
        admitting admits: (@Sendable (PeerID) async -> Bool)? = nil
    ) async throws(ListenError) -> Endpoint {
        let endpoint: Endpoint
        do throws(EndpointSyntaxError) {
            endpoint = try Endpoint(address)
        } catch {
            throw .address(error)
        }
        let (core, registry) = (core, peer.host.registry)
        let listener: LinkListener
        do throws(BindError) {
            listener = try await peer.host.node.listen(at: endpoint) { link in registry.accepted(link, by: core) }
        } catch {
            throw .bind(error)
        }
        core.begin(listener, InvitationHandlers(accepts: accepts, admits: admits))
        await peer.host.tellAddresses(of: core)
        return listener.localEndpoint
    }

    /// Invites the peer at an address, and returns when it is connected. It is then connected with the other members by itself.
    /// - Parameters:
    ///   - address: Where it listens: `HOST:PORT`, `[IPv6 address]:PORT` or `unix:PATH`.
    ///   - key: Who it must be; nil for whoever answers there, as far as the session trusts it.
    ///   - context: What its app is told, at most 16,384 bytes.
    ///   - timeout: How long it may take to answer: 1 ms to 10 minutes.
    /// - Throws: ``ConnectionError``.
    @discardableResult
    public func invite(
        _ address: String, expecting key: IdentityKey? = nil, context: String = "", timeout: Duration = .seconds(30)
    ) async throws(ConnectionError) -> Member {
        try await connect(to: address, expecting: key, isJoining: false) { (link) throws(ConnectionError) in
            do throws(NodeRequestError) {
                try await self.peer.host.invite(
                    on: link, to: self.core, context: Array(context.utf8), timeout: timeout)
            } catch {
                throw .request(error)
            }
        }
    }

    /// Asks a member of a session to be invited, and returns when this side is connected. The invitation of that member is
    /// accepted.
    /// - Parameters:
    ///   - address: Where the member listens.
    ///   - key: Who it must be; nil for whoever answers there, as far as the session trusts it.
    /// - Throws: ``ConnectionError``: `closed` if the member does not invite.
    @discardableResult
    public func join(_ address: String, expecting key: IdentityKey? = nil) async throws(ConnectionError) -> Member {
        try await connect(to: address, expecting: key, isJoining: true) { _ in }
    }

    private func connect(
        to address: String, expecting key: IdentityKey?, isJoining: Bool,
        _ begin: (LinkNumber) async throws(ConnectionError) -> Void
    ) async throws(ConnectionError) -> Member {
        guard !core.isOver else { throw .stopped }
        let link = try await peer.host.connect(to: address, expecting: key)
        let attempt = LinkAttempt(core, isJoining: isJoining)
        peer.host.registry.add(attempt, on: link)
        do throws(ConnectionError) {
            try await begin(link)
        } catch {
            _ = peer.host.registry.removeAttempt(on: link)
            await peer.host.node.close(link)
            throw error
        }
        guard let outcome = await attempt.wait() else {
            _ = peer.host.registry.removeAttempt(on: link)
            await peer.host.node.close(link)
            throw .cancelled
        }
        return try outcome.get()
    }
}

extension PeerHost {
    func connect(to address: String, expecting key: IdentityKey?) async throws(ConnectionError) -> LinkNumber {
        let endpoint: Endpoint
        do throws(EndpointSyntaxError) {
            endpoint = try Endpoint(address)
        } catch {
            throw .address(error)
        }
        do throws(ConnectError) {
            return try await node.connect(to: endpoint, expecting: key)
        } catch {
            throw .unreachable(error)
        }
    }

    /// Tells members where this side listens, and allows to dial what it takes for reaching them.
    func tellAddresses(of session: SessionCore) async {
        let endpoints = session.listeners.map(\.localEndpoint)
        let addresses = endpoints.flatMap(MemberAddress.reachable)
        let name = identity.identity.name
        var rules = AddressRules()
        rules.allowsEveryAddress = endpoints.contains(where: \.isForThisHost)
        try? await node.perform { [rules] (node, now) throws(NodeRequestError) in
            node.show(name: name, addresses: addresses, at: now)
            node.setAddressRules(rules, at: now)
        }
    }
}
