public import Foundation

/// What an app is told of its advertiser. The methods are called on a private queue.
public protocol MCNearbyServiceAdvertiserDelegate: NSObjectProtocol {
    /// A peer invites this side to a session.
    /// - Parameters:
    ///   - advertiser: The advertiser.
    ///   - peerID: Who invites. Its key was proved, its name was not.
    ///   - context: What the peer's app says; nil if that is nothing. It came encrypted.
    ///   - invitationHandler: Takes the answer: `(true, session)` joins, `(false, nil)` declines. Only the first answer counts, and one
    ///     that never comes is *no* when the peer's time is over, or when nobody keeps the handler.
    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void)

    /// Nobody can be told that this side is here.
    func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error)
}

extension MCNearbyServiceAdvertiserDelegate {
    /// Does nothing.
    public func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error) {}
}
