public import Foundation

/// What an app hears of its browser. The methods are called on a private queue.
public protocol MCNearbyServiceBrowserDelegate: NSObjectProtocol {
    /// A peer is nearby. It is reported once, whatever the number of networks at which it is found.
    /// - Parameters:
    ///   - browser: The browser.
    ///   - peerID: The peer. Nothing of it is proved before it is connected.
    ///   - info: What its app says to everyone; nil if that is nothing.
    func browser(
        _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?)

    /// A peer is not nearby any more. Whether it is connected is another question.
    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID)

    /// Nobody can be looked for.
    func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error)
}

extension MCNearbyServiceBrowserDelegate {
    /// Says so on standard error: otherwise nobody would know.
    public func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error) {
        Notices.print("\(error.localizedDescription)")
    }
}
