public import Foundation

/// What an app hears of its advertiser. The methods are called on a private queue.
public protocol MCNearbyServiceAdvertiserDelegate: NSObjectProtocol {
    /// A peer invites the local peer to a session.
    /// - Parameters:
    ///   - advertiser: The advertiser.
    ///   - peerID: The inviter. Its key was proved, its name was not.
    ///   - context: What the peer's app says; nil if that is nothing. It came encrypted.
    ///   - invitationHandler: Takes the answer: `(true, session)` joins, `(false, nil)` declines. Only the first answer counts, and one
    ///     that never comes is *no* when the peer's time is over, or when nobody keeps the handler.
    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void)

    /// The same as a method that returns the answer: `(true, session)` joins. One of the two must be there, in the
    /// class that declares the conformance; without either everybody is declined, and a line on standard error says so.
    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?
    ) async -> (Bool, MCSession?)

    /// The advertisement failed, so that no peer finds the local peer.
    func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error)
}

extension MCNearbyServiceAdvertiserDelegate {
    /// The method that returns the answer is asked.
    public func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
    ) {
        let (delegate, handler) = (Carried(self as any MCNearbyServiceAdvertiserDelegate), Carried(invitationHandler))
        Task {
            let (isAccepted, session) = await delegate.value.advertiser(
                advertiser, didReceiveInvitationFromPeer: peerID, withContext: context)
            handler.value(isAccepted, session)
        }
    }

    /// Declines.
    public func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?
    ) async -> (Bool, MCSession?) {
        Notices.print(
            "\(peerID.displayName) was declined: \(type(of: self)) has no didReceiveInvitationFromPeer. Implement it in the class that "
                + "declares the conformance")
        return (false, nil)
    }

    /// Says so on standard error: otherwise nobody would know.
    public func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error) {
        Notices.print("\(error.localizedDescription)")
    }
}
