import Foundation
import MultipeerConnectivity
import MultipeerDiscovery
import MultipeerTestSupport
import Synchronization

/// An app as apps of Apple's framework are: it looks, lets itself be found, invites the peers that it finds, accepts
/// those that invite, and notes what it hears. It is on the loopback interface, and finds others in the memory of this
/// process.
final class App: NSObject, Sendable {
    let id: MCPeerID
    let session: MCSession
    let browser: MCNearbyServiceBrowser
    let advertiser: MCNearbyServiceAdvertiser
    private let invitesEverybody: Bool
    private let state = Mutex(State())

    private struct State {
        var told: [String] = []
        var reasons: [MCDisconnectReason] = []
        var found: [MCPeerID] = []
        var messages: [String] = []
        var asked: [String] = []
        var streams: [Received] = []
        var resources: [String: Data] = [:]
    }

    /// A stream that one test reads in one thread at a time.
    struct Received: @unchecked Sendable {
        let stream: InputStream
        let name: String
        let peer: MCPeerID
    }

    init(
        _ name: String, as peer: MCPeerID? = nil, service: String, identity: [Any]? = nil,
        invitesEverybody: Bool = false, policy: MCTrustPolicy = .acceptNewcomers
    ) {
        Self.prepare()
        let id = peer ?? MCPeerID(displayName: name, clock: SlowClock())
        self.id = id
        self.invitesEverybody = invitesEverybody
        session = MCSession(peer: id, securityIdentity: identity, encryptionPreference: .required)
        session.trustPolicy = policy
        browser = MCNearbyServiceBrowser(peer: id, serviceType: service)
        advertiser = MCNearbyServiceAdvertiser(peer: id, discoveryInfo: ["name": name], serviceType: service)
        super.init()
        session.delegate = self
        browser.delegate = self
        advertiser.delegate = self
    }

    /// Where all find each other.
    static let network = MemoryNetwork()
    private static let once: Void = {
        NearbyDiscovery.use(network)
        setenv("MULTIPEER_INTERFACE", "lo", 1)
    }()

    static func prepare() { _ = once }

    /// A service that no other test has.
    static func service() -> String { "b\(UInt32.random(in: 0...UInt32.max))" }

    func start() {
        advertiser.startAdvertisingPeer()
        browser.startBrowsingForPeers()
    }

    func invite(_ other: App, context: String = "", timeout: TimeInterval = 30) async throws {
        try await eventually { self.found.contains(other.id) }
        guard let peer = found.first(where: { $0 == other.id }) else { return }
        browser.invitePeer(peer, to: session, withContext: Data(context.utf8), timeout: timeout)
    }

    func send(_ text: String, to peers: App...) throws {
        try session.send(Data(text.utf8), toPeers: peers.map(\.id), with: .reliable)
    }

    /// The names of those that are connected.
    var connected: [String] { session.connectedPeers.map(\.displayName).sorted() }
    /// The states that were reported, in order: `Ben 1`.
    var told: [String] { state.withLock { $0.told } }
    var reasons: [MCDisconnectReason] { state.withLock { $0.reasons } }
    var found: [MCPeerID] { state.withLock { $0.found } }
    /// The inviters that the app was asked about.
    var asked: [String] { state.withLock { $0.asked } }
    /// The messages, in order: `Ben: hello`.
    var messages: [String] { state.withLock { $0.messages } }
    var streams: [Received] { state.withLock { $0.streams } }
    var resources: [String: Data] { state.withLock { $0.resources } }
}

extension App: MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        self.state.withLock { $0.told.append("\(peerID.displayName) \(state.rawValue)") }
    }

    func session(_ session: MCSession, peer peerID: MCPeerID, didDisconnectWithReason reason: MCDisconnectReason) {
        state.withLock { $0.reasons.append(reason) }
    }

    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
        state.withLock { $0.messages.append("\(peerID.displayName): \(String(decoding: data, as: UTF8.self))") }
    }

    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) {
        let received = Received(stream: stream, name: streamName, peer: peerID)
        state.withLock { $0.streams.append(received) }
    }

    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
    ) {}

    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?
    ) {
        guard let localURL, let content = try? Data(contentsOf: localURL) else { return }
        state.withLock { $0.resources["\(peerID.displayName): \(resourceName)"] = content }
    }
}

extension App: MCNearbyServiceBrowserDelegate, MCNearbyServiceAdvertiserDelegate {
    func browser(
        _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
    ) {
        state.withLock { $0.found.append(peerID) }
        if invitesEverybody { browser.invitePeer(peerID, to: session, withContext: nil, timeout: 30) }
    }

    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {
        state.withLock { $0.found.removeAll { $0 == peerID } }
    }

    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
    ) {
        state.withLock { $0.asked.append(peerID.displayName) }
        invitationHandler(true, session)
    }
}
