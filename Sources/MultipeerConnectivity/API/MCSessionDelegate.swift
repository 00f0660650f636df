public import Foundation

/// What an app is told of a session. All methods of one session are called on one private serial queue, in the order in which things
/// happened. While a method runs, peers whose messages wait are held back.
public protocol MCSessionDelegate: NSObjectProtocol {
    /// The state of a peer has changed: to *connecting* first, then to *connected* or *notConnected*.
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState)

    /// A message has come.
    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID)

    /// A peer has opened a stream to this side. A stream that nobody keeps is given up.
    func session(
        _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID)

    /// A resource has begun to come. It is refused by `progress.cancel()`.
    func session(
        _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        with progress: Progress)

    /// A resource has come, or ended before. The file at `localURL` is removed when this returns: move it before.
    func session(
        _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
        at localURL: URL?, withError error: (any Error)?)

    /// Whether the peer is trusted. Without this method, ``MCSession/trustPolicy`` decides.
    ///
    /// A method that calls the handler with `true` whatever comes trusts everybody. An answer that never comes is a refusal, and
    /// only the first one counts.
    /// - Parameters:
    ///   - session: The session.
    ///   - certificate: The peer's certificates, ``MCCertificate``, its own first; nil if it has none. The peer has proved that it
    ///     holds the key of the first one. Nothing else of them was verified.
    ///   - peerID: The peer, whose key was proved.
    ///   - certificateHandler: Takes the answer.
    func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
        certificateHandler: @escaping (Bool) -> Void)

    /// Says why a peer is not connected, just before ``session(_:peer:didChange:)`` says that it is not. Apple's framework has no such
    /// method.
    func session(_ session: MCSession, peer peerID: MCPeerID, didDisconnectWithReason reason: MCDisconnectReason)
}

extension MCSessionDelegate {
    /// The session's ``MCSession/trustPolicy`` decides.
    public func session(
        _ session: MCSession, didReceiveCertificate certificate: [Any]?, fromPeer peerID: MCPeerID,
        certificateHandler: @escaping (Bool) -> Void
    ) {
        // A wrapper around the handler that loses the mark refuses the peer, and does not let it in.
        PolicyMark.$isSet.withValue(true) { certificateHandler(false) }
    }

    /// Does nothing.
    public func session(
        _ session: MCSession, peer peerID: MCPeerID, didDisconnectWithReason reason: MCDisconnectReason
    ) {}
}

/// What the default implementation of the certificate method says to the session's handler: not an answer of the app, but that the
/// app has none. A protocol of Swift cannot be asked whether a method is implemented.
enum PolicyMark {
    @TaskLocal static var isSet = false
}
