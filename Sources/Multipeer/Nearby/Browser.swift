import MultipeerCertificates
public import MultipeerCrypto
public import MultipeerDiscovery
import Synchronization

/// Looks for peers nearby that advertise a service (``Advertiser``), and invites them.
///
/// ```swift
/// let browser = Browser(of: me, for: try ServiceType("chat"))
/// try await browser.start()
/// for await event in browser.events {
///     if case .found(let peer) = event { try await browser.invite(peer, to: session) }
/// }
/// ```
///
/// A peer is there once, whatever interfaces it is found at. What it advertises is compared with its proof when it is invited.
public final class Browser: Sendable {
    /// What is looked for.
    public let service: ServiceType
    let peer: Peer
    private let choice: DiscoveryChoice
    private let state: Mutex<State>
    /// Wakes the tasks that wait for events.
    private let signal = Signal()

    private struct State {
        var found: FoundPeers
        var known: [KeyTag: KnownPeer] = [:]
        var failure: MultipeerError?
        /// What looks; nil while nothing does.
        var browsing: (any Browsing)?
        /// The search in progress; nil while there is none.
        var search: Int?
        /// Each search has its own number, so that a late answer of one that was stopped is known.
        var lastSearch = 0
    }

    /// Creates a browser that does not look yet.
    /// - Parameters:
    ///   - peer: The local peer.
    ///   - service: What the peers advertise.
    ///   - discovery: What looks; by default the Avahi daemon, or a responder in this process where none runs, at the interfaces that
    ///     the environment variable `MULTIPEER_INTERFACE` names, or at all.
    public init(of peer: Peer, for service: ServiceType, by discovery: (any ServiceDiscovery)? = nil) {
        self.peer = peer
        self.service = service
        choice = DiscoveryChoice(discovery)
        state = Mutex(State(found: FoundPeers(ownTags: peer.host.nearby.ownTags)))
    }

    /// Begins to look. Nothing happens if it looks already.
    /// - Throws: ``MultipeerError``.
    public func start() async throws(MultipeerError) {
        let search: Int? = state.withLock { state in
            guard state.browsing == nil, state.search == nil else { return nil }
            state.lastSearch += 1
            state.search = state.lastSearch
            return state.search
        }
        guard let search else { return }
        await learnKnownPeers()
        do throws(DiscoveryError) {
            let browsing = try await choice.get().browse(for: service) { [weak self] in self?.told($0, in: search) }
            let isLate = state.withLock { state in
                guard state.search == search else { return true }
                state.browsing = browsing
                return false
            }
            if isLate { await browsing.stop() }
        } catch {
            state.withLock { state in
                if state.search == search { state.search = nil }
            }
            throw .discovery(error)
        }
    }

    /// Stops looking. Every peer that was found is lost.
    public func stop() async {
        let browsing = state.withLock { state in
            state.search = nil
            state.found.take(.failed(.stopped))
            return state.browsing.take()
        }
        signal.set()
        await browsing?.stop()
    }

    /// The peers that are nearby now, by name.
    public var peers: [NearbyPeer] {
        state.withLock { state in state.found.all.map { Self.peer($0, state) } }
            .sorted { ($0.name, $0.id.description) < ($1.name, $1.id.description) }
    }

    /// Whether something nearby advertises the local peer's key, such as another process with the same identity. It is
    /// not among ``peers``.
    public var seesItself: Bool { state.withLock { $0.found.seesItself } }

    /// What happens, in order. Each event is delivered once, to the first iterator that asks. An iterator that does not
    /// ask misses only what has been overtaken: a peer that came and went meanwhile.
    public var events: BrowserEvents { BrowserEvents(browser: self) }

    /// Invites a peer that was found, and returns when it is connected.
    ///
    /// Its addresses are tried one after the other, 250 ms apart, and the first is used at which a peer proves the advertised key. A peer
    /// that is not remembered, and that calls itself otherwise than it was advertised, is not invited: anybody can advertise anybody's tag.
    /// - Parameters:
    ///   - peer: The peer to invite.
    ///   - session: To which session.
    ///   - context: What its app receives, at most 16,384 bytes.
    ///   - timeout: How long it may take to answer: 1 ms to 10 minutes.
    ///   - code: The code that the peer shows, if its person has told it. The peer is invited once it was right, and its key is
    ///     verified then.
    ///   - isMeant: Whether a peer that calls itself otherwise is the one that is meant: the app asks its person. Nobody is by default.
    /// - Throws: ``MultipeerError``, with the code `wrongPeer` for a peer that is not meant.
    @discardableResult
    public func invite(
        _ peer: NearbyPeer, to session: Session, context: String = "", timeout: Duration = .seconds(30),
        code: OneTimeCode? = nil, whereRenamed isMeant: @Sendable (PeerID) async -> Bool = { _ in false }
    ) async throws(MultipeerError) -> Member {
        var places = PeerPlaces(peer)
        // A code names the peer that the person means.
        if code != nil { places.name = nil }
        return try await session.invite(
            places, context: Array(context.utf8), timeout: timeout, code: code, whereRenamed: isMeant)
    }

    // MARK: What the network says

    private func told(_ event: ServiceEvent, in search: Int) {
        state.withLock { state in
            guard state.search == search else { return }
            // Private advertisements of the local peer may have begun meanwhile.
            for tag in peer.host.nearby.ownTags { state.found.addOwn(tag) }
            state.found.take(event)
            if case .failed(let error) = event { state.failure = .discovery(error) }
        }
        signal.set()
    }

    func nextEvent() async -> BrowserEvent? {
        while !Task.isCancelled {
            if let event = takeEvent() { return event }
            guard await signal.wait() else { return nil }
            await learnKnownPeers()
        }
        return nil
    }

    private func takeEvent() -> BrowserEvent? {
        state.withLock { state in
            if let failure = state.failure.take() { return .failed(failure) }
            return switch state.found.next() {
            case .found(let peer): .found(Self.peer(peer, state))
            case .changed(let peer): .changed(Self.peer(peer, state))
            case .lost(let peer): .lost(Self.peer(peer, state))
            case nil: nil
            }
        }
    }

    private static func peer(_ found: FoundPeer, _ state: State) -> NearbyPeer {
        guard case .key(let tag) = found.tag, let known = state.known[tag] else {
            return NearbyPeer(found: found, known: nil, verification: nil)
        }
        return NearbyPeer(
            found: found,
            known: PeerID(key: known.key, displayName: known.label ?? (known.isNameless ? nil : known.name)),
            verification: known.verification)
    }

    private func learnKnownPeers() async {
        let known = await peer.host.knownPeersByTag()
        state.withLock { $0.known = known }
    }
}

/// What happens nearby, in order.
public struct BrowserEvents: AsyncSequence, Sendable {
    let browser: Browser

    public func makeAsyncIterator() -> Iterator { Iterator(browser: browser) }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        let browser: Browser

        /// Returns the next event; nil if the task is cancelled.
        public mutating func next() async -> BrowserEvent? { await browser.nextEvent() }
    }
}
