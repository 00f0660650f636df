import Foundation
import MultipeerConnectivity

/// What the view of the chat hears, on the main queue.
protocol ChatServiceDelegate: AnyObject {
    func chat(_ chat: ChatService, devicesDidChange devices: [MCPeerID])
    func chat(_ chat: ChatService, isInvitedBy device: MCPeerID, answer: @escaping (Bool) -> Void)
    func chat(_ chat: ChatService, didChange state: MCSessionState, of device: MCPeerID)
    func chat(_ chat: ChatService, didReceive text: String, from device: MCPeerID)
    func chat(_ chat: ChatService, didFail error: any Error)
}

/// One chat: finds devices, lets them be found, and talks with those that are connected.
final class ChatService: NSObject {
    private static let serviceType = "nearby-chat"

    let peerID: MCPeerID
    weak var delegate: ChatServiceDelegate?
    /// The peers nearby, in the order in which they came.
    private(set) var devices: [MCPeerID] = []

    private let session: MCSession
    private let advertiser: MCNearbyServiceAdvertiser
    private let browser: MCNearbyServiceBrowser

    init(peerID: MCPeerID) {
        self.peerID = peerID
        session = MCSession(peer: peerID, securityIdentity: nil, encryptionPreference: .required)
        advertiser = MCNearbyServiceAdvertiser(peer: peerID, discoveryInfo: nil, serviceType: Self.serviceType)
        browser = MCNearbyServiceBrowser(peer: peerID, serviceType: Self.serviceType)
        super.init()
        session.delegate = self
        advertiser.delegate = self
        browser.delegate = self
    }

    var members: [MCPeerID] { session.connectedPeers }

    func start() {
        advertiser.startAdvertisingPeer()
        browser.startBrowsingForPeers()
    }

    func stop() {
        advertiser.stopAdvertisingPeer()
        browser.stopBrowsingForPeers()
        session.disconnect()
    }

    func invite(_ device: MCPeerID) {
        browser.invitePeer(device, to: session, withContext: nil, timeout: 30)
    }

    func say(_ text: String) throws {
        try session.send(Data(text.utf8), toPeers: session.connectedPeers, with: .reliable)
    }
}

extension ChatService: MCNearbyServiceAdvertiserDelegate {
    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
    ) {
        DispatchQueue.main.async {
            self.delegate?.chat(self, isInvitedBy: peerID) { isWelcome in
                invitationHandler(isWelcome, isWelcome ? self.session : nil)
            }
        }
    }

    func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error) {
        DispatchQueue.main.async { self.delegate?.chat(self, didFail: error) }
    }
}

extension ChatService: MCNearbyServiceBrowserDelegate {
    func browser(
        _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
    ) {
        DispatchQueue.main.async {
            guard !self.devices.contains(peerID) else { return }
            self.devices.append(peerID)
            self.delegate?.chat(self, devicesDidChange: self.devices)
        }
    }

    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {
        DispatchQueue.main.async {
            self.devices.removeAll { $0 == peerID }
            self.delegate?.chat(self, devicesDidChange: self.devices)
        }
    }

    func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error) {
        DispatchQueue.main.async { self.delegate?.chat(self, didFail: error) }
    }
}

extension ChatService: MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        DispatchQueue.main.async { self.delegate?.chat(self, didChange: state, of: peerID) }
    }

    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
        let text = String(decoding: data, as: UTF8.self)
        DispatchQueue.main.async { self.delegate?.chat(self, didReceive: text, from: peerID) }
    }

    // A chat has neither streams nor files.
    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) {}

    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
    ) { progress.cancel() }

    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?
    ) {}
}
