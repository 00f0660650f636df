import MultipeerCore
public import MultipeerCrypto

/// An invitation that a peer sends, for the app to answer.
public struct Invitation: Sendable {
    /// The inviter. The key is proved; the name proves nothing.
    public let peer: PeerID
    /// What the peer's app says, at most 16,384 bytes.
    public let context: [UInt8]
    /// How long the peer waits for the answer.
    public let timeout: Duration
    /// Whether the session is a new one, of the inviting peer alone.
    public let isNewSession: Bool

    /// What people read: the peer's name, or its key's digits.
    public var name: String { peer.shownName }
    /// The context as one line that is safe to print.
    public var contextText: String { SafeText.message(context) }

    init(_ received: ReceivedInvitation, of peer: PeerID) {
        self.peer = peer
        context = received.context
        timeout = received.timeout
        isNewSession = received.isNewSession
    }
}
