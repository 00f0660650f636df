import MultipeerConnectivity

/// Keeps its peer ID in the user's defaults. Of two the one with the greater name invites, and each that is lost gets a session anew.
final class TurnsManager: NSObject, ObservableManager {
    static let serviceType = "meet-turns"

    let peerID: MCPeerID
    private(set) var session: MCSession
    private let advertiser: MCNearbyServiceAdvertiser
    private let browser: MCNearbyServiceBrowser
    private let queue = DispatchQueue(label: "turns")

    init(name: String) {
        peerID = TurnsManager.reusablePeerID(named: name)
        session = MCSession(peer: peerID, securityIdentity: nil, encryptionPreference: .optional)
        advertiser = MCNearbyServiceAdvertiser(
            peer: peerID, discoveryInfo: ["version": "1"], serviceType: TurnsManager.serviceType)
        browser = MCNearbyServiceBrowser(peer: peerID, serviceType: TurnsManager.serviceType)
        super.init()
        session.delegate = self
        advertiser.delegate = self
        browser.delegate = self
        advertiser.startAdvertisingPeer()
        browser.startBrowsingForPeers()
    }

    private static func reusablePeerID(named name: String) -> MCPeerID {
        let defaults = UserDefaults.standard
        if let data = defaults.data(forKey: "peerID"),
            let peerID = try? NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data),
            peerID.displayName == name
        {
            print("the same peer")
            return peerID
        }
        let peerID = MCPeerID(displayName: name)
        let data = try? NSKeyedArchiver.archivedData(withRootObject: peerID, requiringSecureCoding: true)
        defaults.set(data, forKey: "peerID")
        print("a new peer")
        return peerID
    }
}

/// What a view would watch.
protocol ObservableManager: AnyObject {
    var session: MCSession { get }
}

extension TurnsManager: MCNearbyServiceAdvertiserDelegate, MCNearbyServiceBrowserDelegate {
    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
    ) { queue.async { invitationHandler(true, self.session) } }

    func browser(
        _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
    ) {
        guard info?["version"] == "1", self.peerID.displayName > peerID.displayName else { return }
        queue.async { browser.invitePeer(peerID, to: self.session, withContext: nil, timeout: 20) }
    }

    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {}
}

extension TurnsManager: MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        switch state {
        case .connected: try? session.send(Data("hello".utf8), toPeers: [peerID], with: .reliable)
        case .notConnected: again(peerID, session)
        case .connecting: break
        @unknown default: break
        }
    }

    /// A peer that is lost comes back under the same peer ID, and is not found anew.
    private func again(_ peerID: MCPeerID, _ session: MCSession) {
        guard self.peerID.displayName > peerID.displayName else { return }
        queue.asyncAfter(deadline: .now() + 0.5) {
            guard session.connectedPeers.isEmpty else { return }
            self.browser.invitePeer(peerID, to: session, withContext: nil, timeout: 20)
        }
    }

    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
        print("\(peerID.displayName): \(String(decoding: data, as: UTF8.self))")
    }

    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) {}

    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
    ) {}

    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: Error?
    ) {}
}
