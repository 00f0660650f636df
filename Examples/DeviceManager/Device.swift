import Foundation
import MultipeerConnectivity

/// One that is watched over. It takes part in one session, whatever other devices are in it.
final class Device: NSObject {
    private let session: MCSession
    private let advertiser: MCNearbyServiceAdvertiser
    private let begin = Date()

    init(peerID: MCPeerID, group: String) {
        session = MCSession(peer: peerID)
        advertiser = MCNearbyServiceAdvertiser(
            peer: peerID, discoveryInfo: ["group": group], serviceType: Manager.serviceType)
        super.init()
        session.delegate = self
        advertiser.delegate = self
    }

    func start() { advertiser.startAdvertisingPeer() }

    private func answer(_ request: Request, to peerID: MCPeerID) {
        print("\(peerID.displayName.plain) asks: \(request.rawValue)")
        switch request {
        case .leave: session.disconnect()
        case .report:
            let report = Report(
                uptime: Int(Date().timeIntervalSince(begin)), peers: session.connectedPeers.map(\.displayName))
            do {
                try session.send(try report.encoded(), toPeers: [peerID], with: .reliable)
            } catch {
                print("No report for \(peerID.displayName.plain): \(error.localizedDescription)")
            }
        }
    }
}

extension Device: MCNearbyServiceAdvertiserDelegate {
    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
    ) {
        // Managers say so. Nobody else has a reason to invite.
        let isManager = context == Manager.context
        invitationHandler(isManager, isManager ? session : nil)
    }

    func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error) {
        print("Nobody can find this device: \(error.localizedDescription)")
        exit(1)
    }
}

extension Device: MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        if state == .connected { print("Connected with \(peerID.displayName.plain)") }
        if state == .notConnected { print("No longer connected with \(peerID.displayName.plain)") }
    }

    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
        if let request = Request(message: data) { answer(request, to: peerID) }
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
