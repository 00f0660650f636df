import MultipeerConnectivity

/// Says a word with each invitation, and accepts each peer that knows it. Its delegates' methods return their answers,
/// and its peer ID is a new one at each start.
final class WordManager: NSObject {
    private struct Invitation: Codable {
        let word: String
    }

    private let peerID: MCPeerID
    private let session: MCSession
    private let advertiser: MCNearbyServiceAdvertiser
    private let browser: MCNearbyServiceBrowser

    init(name: String) {
        peerID = MCPeerID(displayName: name)
        session = MCSession(peer: peerID)
        advertiser = MCNearbyServiceAdvertiser(peer: peerID, discoveryInfo: ["app": "word"], serviceType: "MEETWORD")
        browser = MCNearbyServiceBrowser(peer: peerID, serviceType: "meetword")
        super.init()
        session.delegate = self
        advertiser.delegate = self
        browser.delegate = self
        advertiser.startAdvertisingPeer()
        browser.startBrowsingForPeers()
    }
}

extension WordManager: MCNearbyServiceAdvertiserDelegate {
    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?
    ) async -> (Bool, MCSession?) {
        let invitation = context.flatMap { try? JSONDecoder().decode(Invitation.self, from: $0) }
        return invitation?.word == "swordfish" ? (true, session) : (false, nil)
    }
}

extension WordManager: MCNearbyServiceBrowserDelegate {
    func browser(
        _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
    ) {
        let context = try? JSONEncoder().encode(Invitation(word: "swordfish"))
        browser.invitePeer(peerID, to: session, withContext: context, timeout: 30)
    }

    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {}
}

extension WordManager: MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        if state == .connected { try? session.send(Data("hello".utf8), toPeers: [peerID], with: .reliable) }
    }

    func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID
    ) async -> Bool { true }

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
