import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("Trust when the app does not decide", .endsIfItHangs)
struct PolicyTests {
    @Test("A delegate that forwards the question to one without an answer leaves it to the policy")
    func passedOn() async throws {
        let service = App.service()
        let (anna, ben) = (App("Anna", service: service), App("Ben", service: service))
        let proxy = Proxy(ben, answersLater: false)
        ben.session.delegate = proxy
        for app in [anna, ben] { app.start() }
        try await anna.invite(ben)
        try await eventually { anna.connected == ["Ben"] && ben.connected == ["Anna"] }
        #expect(proxy.questions == 1)
    }

    @Test("A delegate that forwards the missing answer on another queue refuses, whatever the policy")
    func markLost() async throws {
        let service = App.service()
        let anna = App("Anna", service: service)
        let ben = App("Ben", service: service, policy: .acceptEveryPeerUnverified)
        let proxy = Proxy(ben, answersLater: true)
        ben.session.delegate = proxy
        for app in [anna, ben] { app.start() }
        try await anna.invite(ben)
        try await eventually { anna.told == ["Ben 1", "Ben 0"] }
        #expect(anna.reasons.map(\.kind) == [.notTrusted] && proxy.questions == 1)
        #expect(ben.connected == [])
    }

    @Test("An identity from an archive remembers the peers that it has met in the user's store")
    func kept() async throws {
        Surroundings.prepare()
        let service = App.service()
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: MCPeerID(displayName: "Anna"), requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: archive)
        let id = try #require(read)
        let anna = App("Anna", as: id, service: service)
        let ben = App("Ben", service: service)
        for app in [anna, ben] { app.start() }
        try await anna.invite(ben)
        try await eventually { anna.connected == ["Ben"] }
        let folder = try #require(getenv("XDG_DATA_HOME").map { String(cString: $0) })
        let key = try #require(id.publicKeyDescription)
        let known = try String(
            contentsOfFile: "\(folder)/multipeer/connectivity/\(key)/known-peers", encoding: .utf8)
        #expect(known.contains(try #require(ben.id.publicKeyDescription)))
        #expect(!known.contains(key))
    }
}

/// Passes the question about certificates on to a delegate that does not answer it, as wrappers of delegates do.
private final class Proxy: NSObject, MCSessionDelegate, Sendable {
    private let inner: App
    private let answersLater: Bool
    private let count = Mutex(0)

    init(_ inner: App, answersLater: Bool) { (self.inner, self.answersLater) = (inner, answersLater) }

    var questions: Int { count.withLock { $0 } }

    func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
        certificateHandler: @escaping (Bool) -> Void
    ) {
        count.withLock { $0 += 1 }
        nonisolated(unsafe) let handler = certificateHandler
        let isLater = answersLater
        inner.session(session, didReceiveCertificate: certificate, fromPeer: peerID) { answer in
            if isLater { DispatchQueue.global().async { handler(answer) } } else { handler(answer) }
        }
    }

    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        inner.session(session, peer: peerID, didChange: state)
    }
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
