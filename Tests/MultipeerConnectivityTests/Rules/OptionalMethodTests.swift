import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("Methods of delegates that may be omitted", .endsIfItHangs)
struct OptionalMethodTests {
    /// A device with a delegate of the test's own, which connects to another one, and whether both are connected then.
    private static func isLetIn(by delegate: any MCSessionDelegate, policy: MCTrustPolicy? = nil) async throws -> Bool {
        let (anna, ben) = (Device("Anna"), Device("Ben"))
        anna.session.delegate = delegate
        if let policy { anna.session.trustPolicy = policy }
        try await Device.begin(anna, ben)
        try await eventually { (ben.told.states(of: anna.id).last ?? .connecting) != .connecting }
        return withExtendedLifetime((anna, delegate)) { ben.told.states(of: anna.id).last == .connected }
    }

    @Test("A method that returns the answer is called, and decides", arguments: [true, false])
    func answer(isTrusted: Bool) async throws {
        let delegate = AsynchronousDelegate { isTrusted }
        #expect(try await Self.isLetIn(by: delegate) == isTrusted)
        // It is asked by wrappers, too.
        #expect(try await Self.isLetIn(by: Wrapper(delegate)) == isTrusted)
    }

    @Test("An unanswered question in a method that returns the answer ends with the link")
    func unanswered() async throws {
        let (anna, ben) = (Device("Anna"), Device("Ben"))
        let isAsked = Mutex(false)
        let delegate = AsynchronousDelegate {
            isAsked.withLock { $0 = true }
            await untilCancelled()
            return true
        }
        anna.session.delegate = delegate
        try await Device.begin(anna, ben)
        try await eventually { isAsked.withLock { $0 } }
        ben.session.disconnect()
        try await eventually { ben.told.states(of: anna.id).last == .notConnected }
        #expect(anna.connected.isEmpty)
    }

    @Test("If a class inherits its conformance, nobody is accepted without an answer, unless the app has set a policy")
    func inherited() async throws {
        #expect(try await Self.isLetIn(by: BaseDelegate()))
        #expect(try await !Self.isLetIn(by: StrictDelegate()))
        #expect(try await !Self.isLetIn(by: HeirOfStrictDelegate()))
        #expect(try await Self.isLetIn(by: StrictDelegate(), policy: .acceptNewcomers))
    }

    @Test("A method that overrides one of the conforming class is found", arguments: [true, false])
    func overridden(isTrusted: Bool) async throws {
        #expect(try await Self.isLetIn(by: OverridingDelegate(isTrusted)) == isTrusted)
    }

    @Test("An advertiser's method that returns the answer is called; without one everybody is declined")
    func advertiser() async throws {
        let service = Neighbour.service()
        let anna = Neighbour(Device("Anna"), service: service)
        anna.browser.startBrowsingForPeers()
        let ben = Neighbour(Device("Ben"), service: service)
        ben.advertiser.startAdvertisingPeer()
        let silent = NoAnswers()
        ben.advertiser.delegate = silent
        try await anna.invite(ben)
        try await eventually { anna.device.told.states(of: ben.device.id).last == .notConnected }
        #expect(anna.device.told.reasons(for: ben.device.id).map(\.kind) == [.declined])
        let picky = PickyAdvertiser(ben.device.session)
        ben.advertiser.delegate = picky
        try await anna.invite(ben, context: Data("no".utf8))
        try await eventually { anna.device.told.reasons(for: ben.device.id).map(\.kind) == [.declined, .declined] }
        try await anna.invite(ben, context: Data("yes".utf8))
        try await eventually { anna.device.connected == ["Ben"] && ben.device.connected == ["Anna"] }
        for neighbour in [anna, ben] { neighbour.stop() }
    }
}

/// What Apple's framework requires, and no more.
private class BaseDelegate: NSObject, MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {}
    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {}
    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) {}
    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
    ) {}
    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?
    ) {}
}

/// Its method is found on Apple's systems, and not here.
private class StrictDelegate: BaseDelegate {
    func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
        certificateHandler: @escaping (Bool) -> Void
    ) { certificateHandler(false) }
}

private final class HeirOfStrictDelegate: StrictDelegate {}

private class JudgingBase: NSObject, MCSessionDelegate {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {}
    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {}
    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) {}
    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
    ) {}
    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?
    ) {}
    func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
        certificateHandler: @escaping (Bool) -> Void
    ) { certificateHandler(false) }
}

private final class OverridingDelegate: JudgingBase {
    private let isTrusted: Bool

    init(_ isTrusted: Bool) { self.isTrusted = isTrusted }

    override func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
        certificateHandler: @escaping (Bool) -> Void
    ) { certificateHandler(isTrusted) }
}

private final class AsynchronousDelegate: NSObject, MCSessionDelegate, Sendable {
    private let judge: @Sendable () async -> Bool

    init(_ judge: @escaping @Sendable () async -> Bool) { self.judge = judge }

    func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID
    ) async -> Bool { await judge() }

    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {}
    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {}
    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) {}
    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
    ) {}
    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?
    ) {}
}

/// Passes the question on, as wrappers of delegates do.
private final class Wrapper: NSObject, MCSessionDelegate, Sendable {
    private let inner: AsynchronousDelegate

    init(_ inner: AsynchronousDelegate) { self.inner = inner }

    func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
        certificateHandler: @escaping (Bool) -> Void
    ) {
        inner.session(
            session, didReceiveCertificate: certificate, fromPeer: peerID, certificateHandler: certificateHandler)
    }

    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {}
    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {}
    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) {}
    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
    ) {}
    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?
    ) {}
}

/// An app that has neither method.
private final class NoAnswers: NSObject, MCNearbyServiceAdvertiserDelegate {}

private final class PickyAdvertiser: NSObject, MCNearbyServiceAdvertiserDelegate, Sendable {
    private let session: MCSession

    init(_ session: MCSession) { self.session = session }

    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?
    ) async -> (Bool, MCSession?) { (context == Data("yes".utf8), session) }
}
