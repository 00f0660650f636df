public import MultipeerCore

/// The reason why a message was not queued.
@nonexhaustive
public enum SendFailure: Error, Hashable, Sendable {
    /// The link does not accept the message. It is not open, it ended while the message waited, or the message is too
    /// long for the peer.
    case request(RequestError)
    /// The task was cancelled while the message waited. Nothing of it was sent.
    case cancelled
}
