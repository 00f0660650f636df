import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Synchronization

/// A device that looks for others and lets itself be found, under a service of the test's own.
final class Neighbour: NSObject, Sendable {
    /// How invitations are answered.
    typealias Answer = @Sendable (Inquiry) -> Void

    /// An invitation as the delegate gets it.
    struct Inquiry: @unchecked Sendable {
        let peer: MCPeerID
        let context: Data?
        let session: MCSession
        /// Any thread may call it.
        let handler: (Bool, MCSession?) -> Void
    }

    let device: Device
    let browser: MCNearbyServiceBrowser
    let advertiser: MCNearbyServiceAdvertiser
    private let state = Mutex(State())
    private let answer: Answer

    private struct State {
        var comings: [String] = []
        var found: [MCPeerID] = []
        var infos: [String: [String: String]?] = [:]
        var inquiries: [Inquiry] = []
        var faults: [any Error] = []
    }

    init(
        _ device: Device, service: String, info: [String: String]? = nil,
        answer: @escaping Answer = { $0.handler(true, $0.session) }
    ) {
        self.device = device
        self.answer = answer
        browser = MCNearbyServiceBrowser(peer: device.id, serviceType: service)
        advertiser = MCNearbyServiceAdvertiser(peer: device.id, discoveryInfo: info, serviceType: service)
        super.init()
        browser.delegate = self
        advertiser.delegate = self
    }

    /// A service that no other test has.
    static func service() -> String { "t\(UInt32.random(in: 0...UInt32.max))" }

    func start() {
        advertiser.startAdvertisingPeer()
        browser.startBrowsingForPeers()
    }

    func stop() {
        advertiser.stopAdvertisingPeer()
        browser.stopBrowsingForPeers()
    }

    /// Waits until another device is found.
    func finds(_ other: Neighbour) async throws -> MCPeerID {
        try await eventually { self.nearby.contains(other.device.id) }
        return nearby.first { $0 == other.device.id } ?? other.device.id
    }

    func invite(_ other: Neighbour, context: Data? = nil, timeout: TimeInterval = 20) async throws {
        browser.invitePeer(try await finds(other), to: device.session, withContext: context, timeout: timeout)
    }

    var nearby: [MCPeerID] { state.withLock { $0.found } }
    /// The peers that came and went, in order: `+Ben`, `-Ben`.
    var comings: [String] { state.withLock { $0.comings } }
    var inquiries: [Inquiry] { state.withLock { $0.inquiries } }
    var faults: [any Error] { state.withLock { $0.faults } }
    func info(of name: String) -> [String: String]? { state.withLock { $0.infos[name] ?? nil } }
}

extension Neighbour: MCNearbyServiceBrowserDelegate, MCNearbyServiceAdvertiserDelegate {
    func browser(
        _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
    ) {
        state.withLock { state in
            state.found.append(peerID)
            state.comings.append("+" + peerID.displayName)
            state.infos[peerID.displayName] = .some(info)
        }
    }

    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {
        state.withLock { state in
            state.found.removeAll { $0 == peerID }
            state.comings.append("-" + peerID.displayName)
        }
    }

    func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error) {
        state.withLock { $0.faults.append(error) }
    }

    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
    ) {
        let inquiry = Inquiry(
            peer: peerID, context: context, session: device.session, handler: invitationHandler)
        state.withLock { $0.inquiries.append(inquiry) }
        answer(inquiry)
    }

    func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error) {
        state.withLock { $0.faults.append(error) }
    }
}
