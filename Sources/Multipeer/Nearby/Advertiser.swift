public import MultipeerCrypto
public import MultipeerDiscovery
public import MultipeerNIO
import MultipeerStorage
public import MultipeerWire
import Synchronization

/// Listens, and lets peers nearby find this one (``Browser``). Nobody's invitation is accepted but by the app.
///
/// ```swift
/// let advertiser = Advertiser(of: me, for: try ServiceType("chat"), info: ["room": "4"])
/// try await advertiser.start()
/// for await invitation in advertiser.invitations { invitation.accept(into: session) }
/// ```
///
/// What is advertised is public: the name, a tag of the identity key and the app's info, or, privately, the info alone.
public final class Advertiser: Sendable {
    /// What is advertised.
    public let service: ServiceType
    /// Whether neither name nor key are shown.
    public let isPrivate: Bool
    let peer: Peer
    private let chosenEndpoint: Endpoint?
    private let choice: DiscoveryChoice
    private let waiting: WaitingInvitations
    private let state: Mutex<State>
    /// One of starting, stopping and updating at a time.
    private let turn = AsyncMutex()

    private struct State {
        var info: DiscoveryInfo
        var running: Running?
        /// Told of other names.
        var onRename: (@Sendable (String) -> Void)?
    }

    private struct Running {
        let listener: LinkListener
        let publication: any Publication
        let tag: Advertisement.Tag
    }

    /// Creates an advertiser that does not advertise yet.
    /// - Parameters:
    ///   - peer: The local peer.
    ///   - service: What is advertised.
    ///   - info: What the app says to everyone.
    ///   - privately: Whether to show neither name nor key before the handshake (SPEC §23.3).
    ///   - endpoint: Where to listen; by default every address of this host, at a port that the
    ///     system chooses.
    ///   - encryption: What the sessions say of encryption into which invitations will be accepted. If it is given, nobody is asked
    ///     about an invitation that cannot agree with it; otherwise such a one fails once it is accepted.
    ///   - discovery: What advertises; by default as for ``Browser/init(of:for:by:)``.
    public init(
        of peer: Peer, for service: ServiceType, info: DiscoveryInfo = DiscoveryInfo(), privately: Bool = false,
        at endpoint: Endpoint? = nil, encryption: EncryptionPreference? = nil,
        by discovery: (any ServiceDiscovery)? = nil
    ) {
        waiting = WaitingInvitations(encryption: encryption)
        self.peer = peer
        self.service = service
        chosenEndpoint = endpoint
        isPrivate = privately
        choice = DiscoveryChoice(discovery)
        state = Mutex(State(info: info))
    }

    deinit {
        let (running, waiting, host) = (state.withLock { $0.running }, waiting, peer.host)
        waiting.finish()
        guard let running else { return }
        host.registry.note(nil, of: waiting)
        // The advertisement ends with the publication.
        running.listener.stop()
    }

    /// Listens and advertises. Nothing happens if it does already.
    /// - Throws: ``MultipeerError``.
    public func start() async throws(MultipeerError) {
        await turn.begin()
        defer { turn.end() }
        guard state.withLock({ $0.running == nil }) else { return }
        let listener = try await listen()
        do throws(MultipeerError) {
            let running = try await publish(listener)
            state.withLock { $0.running = running }
        } catch {
            listener.stop()
            throw error
        }
        peer.host.registry.note(listener, of: waiting)
        await peer.host.tellAddresses()
    }

    /// Withdraws the advertisement, and stops listening. Connected peers stay connected; peers that wait for an answer
    /// still get it.
    public func stop() async {
        await turn.begin()
        defer { turn.end() }
        guard let running = state.withLock({ $0.running.take() }) else { return }
        await running.publication.stop()
        running.listener.stop()
        peer.host.registry.note(nil, of: waiting)
        await peer.host.tellAddresses()
    }

    /// Says something else to everyone.
    /// - Throws: ``MultipeerError``.
    public func update(_ info: DiscoveryInfo) async throws(MultipeerError) {
        await turn.begin()
        defer { turn.end() }
        let running = state.withLock { state in
            state.info = info
            return state.running
        }
        guard let running else { return }
        do throws(DiscoveryError) {
            try await running.publication.update(advertisement(running.tag, info))
        } catch {
            throw .discovery(error)
        }
    }

    /// The peer that is advertised.
    public var id: PeerID { peer.id }

    /// Where the local peer listens; nil while it does not.
    public var endpoint: Endpoint? { state.withLock { $0.running?.listener.localEndpoint } }

    /// Where others reach the local peer: its addresses of all networks, with the port. None while it does not listen.
    public var addresses: [Endpoint] {
        endpoint.map(Endpoint.reachable(at:)) ?? []
    }

    /// The name under which it is advertised: this peer's own, one with a number where that was taken, or digits of a private tag.
    /// Nil while it is not.
    public var advertisedName: String? { state.withLock { $0.running?.publication.instanceName } }

    /// The tag by which others tell this peer from those nearby that have its name (SPEC §23.2). Nil while it is not advertised.
    public var advertisedTag: KeyTag? { state.withLock { $0.running?.tag.bytes } }

    /// From now on reports the other name under which the local peer is advertised whenever ``advertisedName`` has
    /// changed: another peer has the name as well, because two have taken it in the same moment, or because networks
    /// have met. It must not block.
    public func whenRenamed(_ tell: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.onRename = tell }
    }

    /// The invitations that come.
    public var invitations: Invitations { Invitations(waiting: waiting, owner: self) }

    // MARK: Steps

    private func listen() async throws(MultipeerError) -> LinkListener {
        if let chosenEndpoint { return try await peer.host.listen(at: chosenEndpoint, as: .advertiser(waiting)) }
        do throws(MultipeerError) {
            return try await peer.host.listen(at: .tcp(host: "::", port: 0), as: .advertiser(waiting))
        } catch {
            // A host without IPv6 has IPv4 alone.
            return try await peer.host.listen(at: .tcp(host: "0.0.0.0", port: 0), as: .advertiser(waiting))
        }
    }

    private func publish(_ listener: LinkListener) async throws(MultipeerError) -> Running {
        guard case .tcp(_, let number) = listener.localEndpoint, let port = UInt16(exactly: number) else {
            throw .listening(.invalidEndpoint)
        }
        let tag = tag()
        do throws(DiscoveryError) {
            let advertisement = advertisement(tag, state.withLock { $0.info })
            let publication = try await choice.get().publish(advertisement, as: service, port: port)
            publication.whenRenamed { [weak self] name in self?.state.withLock(\.onRename)?(name) }
            return Running(listener: listener, publication: publication, tag: tag)
        } catch {
            throw .discovery(error)
        }
    }

    private func tag() -> Advertisement.Tag {
        let nearby = peer.host.nearby
        guard isPrivate else { return .key(nearby.keyTag) }
        let tag = peer.host.randomTag()
        nearby.begin(tag)
        return .random(tag)
    }

    private func advertisement(_ tag: Advertisement.Tag, _ info: DiscoveryInfo) -> Advertisement {
        switch tag {
        case .key(let tag): Advertisement(of: tag, named: peer.host.identity.identity.name, info: info)
        case .random(let tag): Advertisement(privately: tag, info: info)
        }
    }
}
