import Foundation
import MultipeerConnectivity

/// What is pointed at. The system's own prompt asks which peers may.
final class Screen: NSObject {
    static let serviceType = "remote-control"

    private let session: MCSession
    private let assistant: MCAdvertiserAssistant
    private var moves = 0

    init(peerID: MCPeerID) {
        session = MCSession(peer: peerID)
        assistant = MCAdvertiserAssistant(serviceType: Self.serviceType, discoveryInfo: nil, session: session)
        super.init()
        session.delegate = self
        assistant.delegate = self
    }

    func start() {
        assistant.start()
        print("Waiting for a remote")
    }
}

extension Screen: MCAdvertiserAssistantDelegate {
    func advertiserAssistantWillPresentInvitation(_ advertiserAssistant: MCAdvertiserAssistant) {
        print("Somebody has a remote")
    }
}

extension Screen: MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        switch state {
        case .connecting: break
        case .connected: print("A remote is connected")
        case .notConnected:
            print("The remote is gone")
            exit(0)
        }
    }

    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
        guard let gesture = Gesture(data) else { return }
        switch gesture.kind {
        case .move: moves += 1
        case .click: print("Click at \(gesture.x), \(gesture.y) after \(moves) moves")
        }
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
