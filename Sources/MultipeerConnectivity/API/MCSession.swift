public import Foundation

/// A session: peers that are connected with each other, each with each.
///
/// Peers come by invitations (``MCNearbyServiceBrowser/invitePeer(_:to:withContext:timeout:)``,
/// ``MCNearbyServiceAdvertiserDelegate``) or by ``connectPeer(_:withNearbyConnectionData:)``, and a peer that comes
/// becomes connected with all others by itself. A session can be used again after ``disconnect()``, and a peer that has
/// left, was lost or has declined can be invited again at once.
open class MCSession: NSObject, @unchecked Sendable {
    // Unchecked, because a class that can be inherited from cannot be checked. All state is the engine's, which is Sendable.
    let engine: SessionEngine
    /// What the app gave, which is not looked into after the initialiser.
    private let identity: Carried<[Any]?>

    /// Creates a session without a certificate that requires encryption.
    /// - Parameter myPeerID: The local peer.
    public convenience init(peer myPeerID: MCPeerID) {
        self.init(peer: myPeerID, securityIdentity: nil, encryptionPreference: .required)
    }

    /// Creates a session.
    /// - Parameters:
    ///   - myPeerID: The local peer: a peer ID that was created by its display name, or comes from an archive of such a
    ///     one.
    ///   - identity: What the local peer shows: an ``MCSecurityIdentity``, and after it the ``MCCertificate`` of
    ///     authorities. Nil for none.
    ///   - encryptionPreference: Whether what is exchanged must be encrypted.
    /// - Precondition: The peer ID is the local peer's, and the identity is as described.
    public init(
        peer myPeerID: MCPeerID, securityIdentity identity: [Any]?, encryptionPreference: MCEncryptionPreference
    ) {
        self.identity = Carried(identity)
        engine = SessionEngine(
            myPeerID, certificate: identity.map(MCSecurityIdentity.local), encryption: encryptionPreference)
        super.init()
        engine.owner.set(self)
    }

    deinit { engine.end() }

    // MARK: What it is

    /// The delegate, which hears what happens. It is not kept alive.
    open var delegate: (any MCSessionDelegate)? {
        get { engine.delegate.value }
        set { engine.delegate.set(newValue) }
    }

    /// The local peer.
    open var myPeerID: MCPeerID { engine.myPeerID }

    /// The identity that the local peer shows.
    open var securityIdentity: [Any]? { identity.value }

    /// Whether what is exchanged must be encrypted.
    open var encryptionPreference: MCEncryptionPreference { engine.encryption }

    /// The peers that are connected.
    open var connectedPeers: [MCPeerID] { engine.connectedPeers }

    // MARK: What Apple's framework does not have

    /// The peers to trust where the delegate does not implement
    /// ``MCSessionDelegate/session(_:didReceiveCertificate:fromPeer:certificateHandler:)``. A change counts for
    /// connections that are made later.
    public var trustPolicy: MCTrustPolicy {
        get { engine.trustPolicy }
        set { engine.trustPolicy = newValue }
    }

    /// How many peers the session may have, the local peer included: ``kMCSessionMaximumNumberOfPeers`` by default, at
    /// most 256. The peer that begins a session decides for all of it, so set this before the first invitation.
    /// - Precondition: 2 to 256.
    public var maximumNumberOfPeers: Int {
        get { engine.maximumNumberOfPeers }
        set {
            guard (2...256).contains(newValue) else { AppArgument.stop("MCSession: a session has 2 to 256 peers") }
            engine.maximumNumberOfPeers = newValue
        }
    }

    // MARK: Messages, resources, streams

    /// Sends a message to peers. It never waits, and a message arrives whole.
    /// - Parameters:
    ///   - data: At most 16 MiB, unless a peer takes less.
    ///   - peerIDs: The recipients; at least one.
    ///   - mode: *Reliable* messages arrive in order, as long as the peer is connected. An *unreliable* one
    ///     goes at once or not at all, as a datagram where one can go. It may be lost, and comes in any order.
    /// - Throws: ``MCError``: `notConnected` if somebody is not connected (then nobody gets it), `invalidParameter` if nobody is named
    ///   or the message is too long.
    open func send(_ data: Data, toPeers peerIDs: [MCPeerID], with mode: MCSessionSendDataMode) throws {
        try engine.send(data, to: peerIDs, mode)
    }

    /// Sends a file, or what is at an address of the web, to a peer.
    /// - Parameters:
    ///   - resourceURL: `file:`, `http:` or `https:`.
    ///   - resourceName: The name that the peer sees, at most 255 bytes of UTF-8.
    ///   - peerID: The recipient.
    ///   - completionHandler: Called once, when the peer has stored it (nil), or with the ``MCError`` that ended it:
    ///     `unsupported` for another URL, `notConnected`, `cancelled` if one peer has cancelled it, `unavailable` if it
    ///     cannot be read.
    /// - Returns: How far it has come; `cancel()` gives it up. Nil if it was refused at once.
    @discardableResult
    open func sendResource(
        at resourceURL: URL, withName resourceName: String, toPeer peerID: MCPeerID,
        withCompletionHandler completionHandler: (((any Error)?) -> Void)? = nil
    ) -> Progress? {
        engine.sendResource(resourceURL, named: resourceName, to: peerID, completionHandler)
    }

    /// Opens a stream of bytes to a peer. Open it, schedule it on a run loop or ask it, and close it after the last
    /// byte.
    /// - Parameters:
    ///   - streamName: What it is for, at most 255 bytes of UTF-8.
    ///   - peerID: The peer.
    /// - Throws: ``MCError``: `notConnected`, or `invalidParameter` for a name that is too long.
    open func startStream(withName streamName: String, toPeer peerID: MCPeerID) throws -> OutputStream {
        try engine.startStream(named: streamName, to: peerID)
    }

    /// Leaves the session. What was sent before still goes out. The session can be used again.
    open func disconnect() { engine.disconnect() }

    // MARK: Discovery by the app's own means

    /// Returns what a peer needs to connect to the local peer: its key and where it listens. It holds no secret.
    /// - Parameters:
    ///   - peerID: The peer that it is for.
    ///   - completionHandler: Takes the data, or an ``MCError``.
    open func nearbyConnectionData(
        forPeer peerID: MCPeerID, withCompletionHandler completionHandler: @escaping (Data?, (any Error)?) -> Void
    ) {
        engine.connectionData(completionHandler)
    }

    /// The same as a method that returns the data.
    /// - Throws: ``MCError``.
    open func nearbyConnectionData(forPeer peerID: MCPeerID) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            nearbyConnectionData(forPeer: peerID) { data, error in
                continuation.resume(with: data.map { .success($0) } ?? .failure(error ?? MCError(.unknown)))
            }
        }
    }

    /// Connects to a peer that connects to the local peer as well. Both apps call this with what the other one has
    /// sent. The outcome comes as a state of the peer.
    /// - Parameters:
    ///   - peerID: The peer; if its key is known, it must be the one of `data`.
    ///   - data: What ``nearbyConnectionData(forPeer:withCompletionHandler:)`` of that peer returns.
    open func connectPeer(_ peerID: MCPeerID, withNearbyConnectionData data: Data) {
        engine.connect(peerID, data)
    }

    /// Gives up to connect to a peer.
    open func cancelConnectPeer(_ peerID: MCPeerID) { engine.cancelConnect(peerID) }
}
