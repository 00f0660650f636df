import Foundation
import MultipeerConnectivity

/// What an exchange reports, on the main queue.
protocol ExchangeDelegate: AnyObject {
    func exchange(_ exchange: Exchange, didFind reader: MCPeerID)
    func exchange(_ exchange: Exchange, didLose reader: MCPeerID)
    func exchange(_ exchange: Exchange, isInvitedBy reader: MCPeerID, answer: @escaping (Bool) -> Void)
    func exchange(_ exchange: Exchange, didChange state: MCSessionState, of reader: MCPeerID)
    func exchange(_ exchange: Exchange, didBegin transfer: Transfer)
    func exchange(_ exchange: Exchange, didEnd transfer: Transfer, with result: Result<URL, any Error>)
}

/// One file on its way.
struct Transfer {
    enum Direction { case sending, receiving }

    let direction: Direction
    let name: String
    let reader: MCPeerID
    let progress: Progress
}

/// Hands files to readers nearby, and takes theirs. It lives on the main queue.
final class Exchange: NSObject {
    private static let serviceType = "paper-shelf"

    weak var delegate: ExchangeDelegate?
    private(set) var readers: [MCPeerID] = []
    private let shelf: Shelf
    private let session: MCSession
    private let advertiser: MCNearbyServiceAdvertiser
    private let browser: MCNearbyServiceBrowser
    /// Files for readers that are not connected yet.
    private var waiting: [MCPeerID: [URL]] = [:]
    private var incoming: [MCPeerID: [String: Transfer]] = [:]

    init(peerID: MCPeerID, shelf: Shelf) {
        self.shelf = shelf
        session = MCSession(peer: peerID)
        advertiser = MCNearbyServiceAdvertiser(peer: peerID, discoveryInfo: nil, serviceType: Self.serviceType)
        browser = MCNearbyServiceBrowser(peer: peerID, serviceType: Self.serviceType)
        super.init()
        session.delegate = self
        advertiser.delegate = self
        browser.delegate = self
    }

    func start() {
        advertiser.startAdvertisingPeer()
        browser.startBrowsingForPeers()
    }

    func stop() {
        advertiser.stopAdvertisingPeer()
        browser.stopBrowsingForPeers()
        session.disconnect()
    }

    /// Sends a file, and connects with the reader before if need be.
    func send(_ file: URL, to reader: MCPeerID) {
        guard !session.connectedPeers.contains(reader) else { return begin(file, to: reader) }
        waiting[reader, default: []].append(file)
        browser.invitePeer(reader, to: session, withContext: nil, timeout: 30)
    }

    private func begin(_ file: URL, to reader: MCPeerID) {
        let name = file.lastPathComponent
        var transfer: Transfer?
        let progress = session.sendResource(at: file, withName: name, toPeer: reader) { error in
            DispatchQueue.main.async {
                let end =
                    transfer
                    ?? Transfer(direction: .sending, name: name, reader: reader, progress: Progress(totalUnitCount: 0))
                self.delegate?.exchange(self, didEnd: end, with: error.map { .failure($0) } ?? .success(file))
            }
        }
        guard let progress else { return }
        let begun = Transfer(direction: .sending, name: name, reader: reader, progress: progress)
        transfer = begun
        delegate?.exchange(self, didBegin: begun)
    }
}

extension Exchange: MCNearbyServiceAdvertiserDelegate {
    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
    ) {
        DispatchQueue.main.async {
            self.delegate?.exchange(self, isInvitedBy: peerID) { invitationHandler($0, $0 ? self.session : nil) }
        }
    }
}

extension Exchange: MCNearbyServiceBrowserDelegate {
    func browser(
        _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
    ) {
        DispatchQueue.main.async {
            self.readers.append(peerID)
            self.delegate?.exchange(self, didFind: peerID)
        }
    }

    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {
        DispatchQueue.main.async {
            self.readers.removeAll { $0 == peerID }
            self.delegate?.exchange(self, didLose: peerID)
        }
    }
}

extension Exchange: MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        DispatchQueue.main.async {
            self.delegate?.exchange(self, didChange: state, of: peerID)
            if state == .connecting { return }
            let files = self.waiting.removeValue(forKey: peerID) ?? []
            if state == .connected { for file in files { self.begin(file, to: peerID) } }
        }
    }

    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
    ) {
        let transfer = Transfer(direction: .receiving, name: resourceName, reader: peerID, progress: progress)
        DispatchQueue.main.async {
            self.incoming[peerID, default: [:]][resourceName] = transfer
            self.delegate?.exchange(self, didBegin: transfer)
        }
    }

    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?
    ) {
        // The file is gone when this method returns.
        let result = Result<URL, any Error> {
            if let error { throw error }
            guard let localURL else { throw CocoaError(.fileReadNoSuchFile) }
            return try shelf.add(localURL, named: resourceName)
        }
        DispatchQueue.main.async {
            guard let transfer = self.incoming[peerID]?.removeValue(forKey: resourceName) else { return }
            self.delegate?.exchange(self, didEnd: transfer, with: result)
        }
    }

    // Papers are all that is handed over.
    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {}

    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) { stream.close() }
}
