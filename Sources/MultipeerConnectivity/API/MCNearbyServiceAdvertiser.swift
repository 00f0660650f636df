public import Foundation
import MultipeerCrypto

/// Lets peers nearby find the local peer, and takes their invitations.
open class MCNearbyServiceAdvertiser: NSObject, @unchecked Sendable {
    // Unchecked, because a class that can be inherited from cannot be checked. All state is the engine's, which is Sendable.
    private let engine: AdvertiserEngine

    /// Creates an advertiser that does not advertise yet.
    /// - Parameters:
    ///   - myPeerID: The local peer.
    ///   - info: What the app says to everyone. It is public, and does not change. What the protocol cannot carry is left out, and a line
    ///     on standard error names it: keys that begin with `_`, have other characters than those of ASCII or differ in case alone,
    ///     and what goes beyond 400 bytes.
    ///   - serviceType: What is advertised: 1–15 of `a`–`z`, `0`–`9` and hyphen. The case of letters does not count.
    /// - Precondition: The peer ID is the local peer's; the service type has a letter, no hyphen at an edge and no two
    ///   in a row; of `info` no key is empty or has a `=`, and no `key=value` has more than 255 bytes.
    public init(peer myPeerID: MCPeerID, discoveryInfo info: [String: String]?, serviceType: String) {
        engine = AdvertiserEngine(myPeerID, info, serviceType)
        super.init()
        engine.owner.set(self)
    }

    deinit { engine.stop() }

    /// The delegate, which hears what happens. It is not kept alive.
    open var delegate: (any MCNearbyServiceAdvertiserDelegate)? {
        get { engine.delegate.value }
        set { engine.delegate.set(newValue) }
    }

    /// The local peer.
    open var myPeerID: MCPeerID { engine.myPeerID }

    /// What the app says to everyone.
    open var discoveryInfo: [String: String]? { engine.info }

    /// What is advertised.
    open var serviceType: String { engine.serviceType }

    /// Listens and advertises. Nothing happens if it does already.
    open func startAdvertisingPeer() { engine.start() }

    /// Withdraws the advertisement. Connected peers stay connected. Nothing happens if it does not advertise.
    open func stopAdvertisingPeer() { engine.stop() }
}
