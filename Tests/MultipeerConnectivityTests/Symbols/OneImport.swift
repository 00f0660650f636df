import MultipeerConnectivity

/// A file as many apps have it: it imports this module alone, and uses Foundation. It compiles only if the module brings Foundation with
/// it.
final class OneImport: NSObject, MCNearbyServiceBrowserDelegate {
    let defaults = UserDefaults.standard
    let encoder = JSONEncoder()
    private(set) var seen: [MCPeerID: Date] = [:]

    func browser(
        _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
    ) { seen[peerID] = Date() }

    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) { seen[peerID] = nil }

    func received(_ data: Data, at url: URL) throws { try data.write(to: url) }
}
