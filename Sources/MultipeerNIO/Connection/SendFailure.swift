public import MultipeerCore

/// Why a message was not queued.
public enum SendFailure: Error, Hashable, Sendable {
    /// The link does not take it: not open, over while the message waited, or the message too long for the peer.
    case misuse(RequestError)
    /// The task was cancelled while the message waited; nothing of it was sent.
    case cancelled
}
