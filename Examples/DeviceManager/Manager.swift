import Foundation
import MultipeerConnectivity

/// What a manager reports, on the main queue.
protocol ManagerDelegate: AnyObject {
    func manager(_ manager: Manager, didChange state: MCSessionState, of device: MCPeerID)
    func manager(_ manager: Manager, didReceive report: Report, from device: MCPeerID)
    func manager(_ manager: Manager, didFail error: any Error)
}

/// Finds the devices of a group, and connects with each. It lives on the main queue.
final class Manager: NSObject {
    static let serviceType = "device-manager"
    /// What an invitation says, so that devices know a manager.
    static let context = Data("manager".utf8)

    weak var delegate: ManagerDelegate?
    private(set) var devices: [MCPeerID] = []
    private let group: String
    private let sessions: any DeviceSessions
    private let browser: MCNearbyServiceBrowser

    init(peerID: MCPeerID, group: String, sessions: any DeviceSessions) {
        self.group = group
        self.sessions = sessions
        browser = MCNearbyServiceBrowser(peer: peerID, serviceType: Self.serviceType)
        super.init()
        browser.delegate = self
    }

    func start() { browser.startBrowsingForPeers() }

    func stop() {
        browser.stopBrowsingForPeers()
        for session in sessions.all { session.disconnect() }
    }

    func invite(_ device: MCPeerID) {
        let session = sessions.session(for: device, delegate: self)
        browser.invitePeer(device, to: session, withContext: Self.context, timeout: 10)
    }

    /// Returns how many devices are asked.
    func ask(_ request: Request, of device: MCPeerID? = nil) throws -> Int {
        var count = 0
        for session in sessions.all {
            let peers = session.connectedPeers.filter { device == nil || $0 == device }
            guard !peers.isEmpty else { continue }
            try session.send(try request.encoded(), toPeers: peers, with: .reliable)
            count += peers.count
        }
        return count
    }
}

extension Manager: MCNearbyServiceBrowserDelegate {
    func browser(
        _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
    ) {
        guard info?["group"] == group else { return }
        DispatchQueue.main.async {
            if !self.devices.contains(peerID) { self.devices.append(peerID) }
            self.invite(peerID)
        }
    }

    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {
        DispatchQueue.main.async {
            guard self.devices.contains(peerID) else { return }
            self.devices.removeAll { $0 == peerID }
            self.sessions.forget(peerID)
        }
    }

    func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error) {
        DispatchQueue.main.async { self.delegate?.manager(self, didFail: error) }
    }
}

extension Manager: MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        DispatchQueue.main.async { self.delegate?.manager(self, didChange: state, of: peerID) }
    }

    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
        guard let report = Report(message: data) else { return }
        DispatchQueue.main.async { self.delegate?.manager(self, didReceive: report, from: peerID) }
    }

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
