public import Foundation
import Synchronization

/// What an app hears of a session. All methods of one session are called on one private serial queue, in the order in
/// which things happened. While a method runs, peers whose messages wait are held back.
///
/// The methods that may be left out have default implementations. Implement them in the class that declares the conformance: those of
/// its subclasses are found only where they override one of that class. (Swift decides when it compiles a conformance; there is no
/// Objective-C at run time that could look.)
public protocol MCSessionDelegate: NSObjectProtocol {
    /// The state of a peer has changed: to *connecting* first, then to *connected* or *notConnected*.
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState)

    /// A message has come.
    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID)

    /// A peer has opened a stream to the local peer. A stream that nobody keeps is given up.
    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID)

    /// A resource has begun to come. It is refused by `progress.cancel()`.
    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress)

    /// A resource has come, or ended before. The file at `localURL` is removed a minute after this has returned, or when the process ends:
    /// move it before. With Apple's framework it has to be moved before this returns.
    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?)

    /// Whether the peer is trusted. Without this method, ``MCSession/trustPolicy`` decides.
    ///
    /// A method that calls the handler with `true` whatever comes trusts everybody. An answer that does not come before the invitation's
    /// time is over, or within a minute, is a refusal, and only the first one counts.
    /// - Parameters:
    ///   - session: The session.
    ///   - certificate: The peer's certificates, ``MCCertificate``, its own first; nil if it has none. The peer has proved that it
    ///     holds the key of the first one. Nothing else of them was verified.
    ///   - peerID: The peer, whose key was proved.
    ///   - certificateHandler: Takes the answer.
    func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
        certificateHandler: @escaping (Bool) -> Void)

    /// The same as a method that returns the answer. It is asked where the one with the handler is left out. It runs on no particular
    /// queue.
    func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID
    ) async -> Bool

    /// Says why a peer is not connected, just before ``session(_:peer:didChange:)`` says that it is not. Apple's framework has no such
    /// method.
    func session(_ session: MCSession, peer peerID: MCPeerID, didDisconnectWithReason reason: MCDisconnectReason)
}

extension MCSessionDelegate {
    /// The method that returns the answer is asked, and without it the session's ``MCSession/trustPolicy`` decides.
    public func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
        certificateHandler: @escaping (Bool) -> Void
    ) {
        let (delegate, chain) = (Carried(self as any MCSessionDelegate), Carried(certificate))
        let handler = Carried(certificateHandler)
        Task {
            let (isTrusted, isDefault) = await DefaultAnswer.noting {
                await delegate.value.session(session, didReceiveCertificate: chain.value, fromPeer: peerID)
            }
            guard isDefault else { return handler.value(isTrusted) }
            // A wrapper around the handler that loses the mark refuses the peer, and does not let it in.
            PolicyMark.$isSet.withValue(true) { handler.value(false) }
        }
    }

    /// The session's ``MCSession/trustPolicy`` decides.
    public func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID
    ) async -> Bool {
        DefaultAnswer.note()
        return false
    }

    /// Does nothing, unless the remote peer does not trust the local one, or does not agree on encryption: then a line
    /// on standard error says so.
    public func session(
        _ session: MCSession, peer peerID: MCPeerID, didDisconnectWithReason reason: MCDisconnectReason
    ) {
        guard reason.isPeersRefusal else { return }
        Notices.print(
            "\(peerID.displayName) is not connected: \(reason)\(reason.remedy.map { ". Remedy: " + $0 } ?? "")")
    }
}

/// What the default implementations of the certificate methods say to the session's handler: not an answer of the app, but that the
/// app has none. A protocol of Swift cannot be asked whether a method is implemented.
enum PolicyMark {
    @TaskLocal static var isSet = false
}

/// Whether a method that returns an answer was the default implementation.
final class DefaultAnswer: Sendable {
    @TaskLocal private static var current: DefaultAnswer?
    private let isNoted = Atomic(false)

    /// Called by a default implementation.
    static func note() { current?.isNoted.store(true, ordering: .sequentiallyConsistent) }

    /// Asks, and returns the answer, and whether it was a default implementation's.
    static func noting(_ ask: () async -> Bool) async -> (answer: Bool, isDefault: Bool) {
        let mark = DefaultAnswer()
        let answer = await $current.withValue(mark) { await ask() }
        return (answer, mark.isNoted.load(ordering: .sequentiallyConsistent))
    }
}
