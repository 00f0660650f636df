import Foundation
import MultipeerConnectivity
import Synchronization

/// A session's delegate that keeps what it hears, and implements what Apple's framework requires.
final class SessionLog: NSObject, MCSessionDelegate, Sendable {
    /// What was reported, in order.
    enum Event: Sendable {
        case state(MCPeerID, MCSessionState)
        case reason(MCPeerID, MCDisconnectReason)
        case data(Data, MCPeerID)
        case stream(InputStreamBox, String, MCPeerID)
        case resource(String, MCPeerID, Progress)
        case finished(String, MCPeerID, content: Data?, place: URL?, (any Error)?)
    }

    /// A stream that one test uses in one thread at a time.
    struct InputStreamBox: @unchecked Sendable {
        let stream: InputStream
    }

    private let all = Mutex<[Event]>([])
    private let running = Atomic(0)
    /// How many methods ran at the same time, at most.
    private let mostAtOnce = Atomic(0)
    private let onMainThread = Atomic(0)
    /// What each method does besides keeping what it hears.
    private let work = Mutex<@Sendable () -> Void>({})

    func whenTold(_ body: @escaping @Sendable () -> Void) { work.withLock { $0 = body } }

    /// The next method does not return before the semaphore is signalled.
    func block() -> DispatchSemaphore {
        let (gate, once) = (DispatchSemaphore(value: 0), Once())
        whenTold { if once.take() { gate.wait() } }
        return gate
    }

    private func note(_ event: Event) {
        let now = running.add(1, ordering: .sequentiallyConsistent).newValue
        mostAtOnce.max(now, ordering: .sequentiallyConsistent)
        if Thread.isMainThread { onMainThread.add(1, ordering: .relaxed) }
        all.withLock { $0.append(event) }
        work.withLock { $0 }()
        running.subtract(1, ordering: .sequentiallyConsistent)
    }

    // MARK: What was reported

    var events: [Event] { all.withLock { $0 } }
    var overlap: Int { mostAtOnce.load(ordering: .sequentiallyConsistent) }
    var wasOnMainThread: Bool { onMainThread.load(ordering: .relaxed) > 0 }

    func states(of peer: MCPeerID) -> [MCSessionState] {
        events.compactMap { if case .state(peer, let state) = $0 { state } else { nil } }
    }

    func reasons(for peer: MCPeerID) -> [MCDisconnectReason] {
        events.compactMap { if case .reason(peer, let reason) = $0 { reason } else { nil } }
    }

    func messages(from peer: MCPeerID) -> [Data] {
        events.compactMap { if case .data(let data, peer) = $0 { data } else { nil } }
    }

    func texts(from peer: MCPeerID) -> [String] { messages(from: peer).map { String(decoding: $0, as: UTF8.self) } }

    var streams: [(stream: InputStream, name: String)] {
        events.compactMap { if case .stream(let box, let name, _) = $0 { (box.stream, name) } else { nil } }
    }

    /// Keeps no stream any more.
    func forgetStreams() {
        all.withLock { $0.removeAll { if case .stream = $0 { true } else { false } } }
    }

    var progresses: [Progress] {
        events.compactMap { if case .resource(_, _, let progress) = $0 { progress } else { nil } }
    }

    var finished: [(name: String, content: Data?, place: URL?, error: (any Error)?)] {
        events.compactMap {
            if case .finished(let name, _, let content, let place, let error) = $0 {
                (name, content, place, error)
            } else {
                nil
            }
        }
    }

    // MARK: The methods

    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        note(.state(peerID, state))
    }

    func session(
        _ session: MCSession, peer peerID: MCPeerID, didDisconnectWithReason reason: MCDisconnectReason
    ) { note(.reason(peerID, reason)) }

    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
        note(.data(data, peerID))
    }

    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) { note(.stream(InputStreamBox(stream: stream), streamName, peerID)) }

    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
    ) { note(.resource(resourceName, peerID, progress)) }

    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?
    ) {
        let content = localURL.flatMap { try? Data(contentsOf: $0) }
        note(.finished(resourceName, peerID, content: content, place: localURL, error))
    }
}

/// True the first time it is asked.
private final class Once: Sendable {
    private let isNext = Atomic(true)

    func take() -> Bool { isNext.exchange(false, ordering: .sequentiallyConsistent) }
}

/// A delegate that also judges certificates, and leaves everything else to another one.
final class JudgingDelegate: NSObject, MCSessionDelegate, Sendable {
    private let log: SessionLog
    private let judge: @Sendable ([Any]?, @escaping @Sendable (Bool) -> Void) -> Void

    init(_ log: SessionLog, _ judge: @escaping @Sendable ([Any]?, @escaping @Sendable (Bool) -> Void) -> Void) {
        (self.log, self.judge) = (log, judge)
    }

    func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
        certificateHandler: @escaping (Bool) -> Void
    ) {
        let handler = Handler(give: certificateHandler)
        judge(certificate) { handler.give($0) }
    }

    /// A handler that any thread may call, as Apple's.
    private struct Handler: @unchecked Sendable {
        let give: (Bool) -> Void
    }

    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {
        log.session(session, peer: peerID, didChange: state)
    }

    func session(
        _ session: MCSession, peer peerID: MCPeerID, didDisconnectWithReason reason: MCDisconnectReason
    ) { log.session(session, peer: peerID, didDisconnectWithReason: reason) }

    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {
        log.session(session, didReceive: data, fromPeer: peerID)
    }

    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) { log.session(session, didReceive: stream, withName: streamName, fromPeer: peerID) }

    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress
    ) { log.session(session, didStartReceivingResourceWithName: resourceName, fromPeer: peerID, with: progress) }

    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?
    ) {
        log.session(
            session, didFinishReceivingResourceWithName: resourceName, fromPeer: peerID, at: localURL, withError: error)
    }
}
