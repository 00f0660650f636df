package import MultipeerCertificates
public import MultipeerCrypto
public import MultipeerStorage

/// The local peer: an identity that others recognise, and the sessions that it takes part in.
///
/// ```swift
/// let me = try await Peer.load(named: "Anna")
/// let session = Session(of: me)
/// ```
///
/// When the last reference to a peer and its sessions is gone, its links are closed. A program that ends before that calls
/// ``shutDown(gracefullyWithin:)``, or others notice its end only after a while.
public final class Peer: Sendable {
    /// The peer's identity: the key, and the name that others see.
    public let id: PeerID
    let host: PeerHost

    private init(_ host: PeerHost) {
        self.host = host
        id = host.id
    }

    deinit {
        let host = host
        Task { await host.shutDown(gracefullyWithin: .seconds(5)) }
    }

    /// Loads the identity of a store, or creates one if there is none.
    /// - Parameters:
    ///   - name: What others see, 1–63 bytes of UTF-8. Without one, an existing identity keeps its name, and a new one is called
    ///     as its host is (`PeerStore.loadOrCreateIdentity(named:random:signers:)`).
    ///   - store: The folder; by default the user's own (`PeerStore.ofUser()`), which the tool `multipeer` uses as well.
    ///   - options: What the app chooses for the peer.
    /// - Throws: ``MultipeerError``.
    public static func load(
        named name: String? = nil, from store: PeerStore? = nil, options: PeerOptions = PeerOptions()
    ) async throws(MultipeerError) -> Peer {
        let identity = try PeerIdentity.stored(in: store, named: try PeerIdentity.name(name))
        return Peer(await PeerHost.start(identity, options))
    }

    /// Creates an identity that ends with the process. Nobody recognises it later, and it recognises nobody.
    /// - Parameters:
    ///   - name: What others see, 1–63 bytes of UTF-8; by default the first digits of the key.
    ///   - options: What the app chooses for the peer.
    /// - Throws: ``MultipeerError``.
    public static func temporary(
        named name: String? = nil, options: PeerOptions = PeerOptions()
    ) async throws(MultipeerError) -> Peer {
        Peer(await PeerHost.start(try PeerIdentity.temporary(named: try PeerIdentity.name(name)), options))
    }

    /// Takes an identity that the app keeps itself.
    /// - Parameters:
    ///   - identity: The key and the name.
    ///   - store: Where the peers that it meets are remembered, and what makes its files resume. Its identity is not looked at. Without
    ///     a store nothing of that outlives the process.
    ///   - options: What the app chooses for the peer.
    /// - Throws: ``MultipeerError``.
    public static func load(
        _ identity: LocalIdentity, rememberingIn store: PeerStore? = nil, options: PeerOptions = PeerOptions()
    ) async throws(MultipeerError) -> Peer {
        Peer(await PeerHost.start(try PeerIdentity.given(identity, in: store), options))
    }

    /// Where it remembers the peers that it has met.
    package var knownPeers: any KnownPeersStore { host.identity.knownPeers }

    /// The tag that the peer with this key advertises.
    package func tag(of key: IdentityKey) -> KeyTag { host.nearby.tag(of: key) }

    /// Whether a peer was met before: its key is remembered, and nobody else's for its name.
    package func knows(_ other: PeerID) async -> Bool {
        await TrustOnFirstUseValidator(store: knownPeers).recognizes(other)
    }

    /// Closes all links in good order, and returns when their connections are closed, after `grace` at the latest. Members of
    /// sessions that were not left (``Session/leave()``) may connect again when this peer is back.
    public func shutDown(gracefullyWithin grace: Duration = .seconds(5)) async {
        await host.shutDown(gracefullyWithin: grace)
    }
}
