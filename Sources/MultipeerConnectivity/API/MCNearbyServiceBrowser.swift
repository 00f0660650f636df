public import Foundation
import MultipeerCrypto

/// Looks for peers nearby that advertise a service, and invites them.
open class MCNearbyServiceBrowser: NSObject, @unchecked Sendable {
    // Unchecked, because a class that can be inherited from cannot be checked. All state is the engine's, which is Sendable.
    private let engine: BrowserEngine

    /// Creates a browser that does not look yet.
    /// - Parameters:
    ///   - myPeerID: The local peer.
    ///   - serviceType: What is looked for: 1–15 of `a`–`z`, `0`–`9` and hyphen. The case of letters does not count.
    /// - Precondition: The peer ID is the local peer's; the service type has a letter, no hyphen at an edge and no two
    ///   in a row.
    public init(peer myPeerID: MCPeerID, serviceType: String) {
        engine = BrowserEngine(myPeerID, serviceType)
        super.init()
        engine.owner.set(self)
    }

    deinit { engine.stop() }

    /// The delegate, which hears what happens. It is not kept alive.
    open var delegate: (any MCNearbyServiceBrowserDelegate)? {
        get { engine.delegate.value }
        set { engine.delegate.set(newValue) }
    }

    /// The local peer.
    open var myPeerID: MCPeerID { engine.myPeerID }

    /// What is looked for.
    open var serviceType: String { engine.serviceType }

    /// Begins to look. Nothing happens if it looks already.
    open func startBrowsingForPeers() { engine.start() }

    /// Looks no more. Nothing happens if it does not look.
    open func stopBrowsingForPeers() { engine.stop() }

    /// Invites a peer that was found to a session of the local peer. The outcome comes as a state of the peer in the
    /// session.
    /// - Parameters:
    ///   - peerID: The peer to invite.
    ///   - session: To which session.
    ///   - context: What the peer's app receives, at most 16,384 bytes. It goes encrypted.
    ///   - timeout: How many seconds the peer may take to answer, at most 600; 30 if it is not above 0.
    open func invitePeer(
        _ peerID: MCPeerID, to session: MCSession, withContext context: Data?, timeout: TimeInterval
    ) {
        engine.invite(peerID, to: session.engine, context, timeout)
    }
}
