public import Foundation

/// What an app hears of its ``MCBrowserViewController``. The methods are called on the main queue.
public protocol MCBrowserViewControllerDelegate: NSObjectProtocol {
    /// The person has chosen *Done*.
    func browserViewControllerDidFinish(_ browserViewController: MCBrowserViewController)

    /// The person wants none, or there is nobody to choose.
    func browserViewControllerWasCancelled(_ browserViewController: MCBrowserViewController)

    /// Whether a peer is listed. Each is, without this method.
    func browserViewController(
        _ browserViewController: MCBrowserViewController, shouldPresentNearbyPeer peerID: MCPeerID,
        withDiscoveryInfo info: [String: String]?
    ) -> Bool
}

extension MCBrowserViewControllerDelegate {
    /// Each peer is listed.
    public func browserViewController(
        _ browserViewController: MCBrowserViewController, shouldPresentNearbyPeer peerID: MCPeerID,
        withDiscoveryInfo info: [String: String]?
    ) -> Bool { true }
}
