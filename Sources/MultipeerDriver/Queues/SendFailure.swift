/// The reason why a message was not queued. Nothing of it was sent.
@nonexhaustive
public enum SendFailure: Error, Hashable, Sendable {
    /// The link is not open, or ended while the message waited.
    case notConnected
    /// The peer takes messages of at most `maximum` bytes.
    case messageTooLong(maximum: UInt64)
    /// The task was cancelled while the message waited.
    case cancelled
}

extension SendFailure: CustomStringConvertible {
    /// Phase and reason, in a sentence without a full stop.
    public var description: String { "sending: \(reason)" }

    /// What happened, in a clause.
    public var reason: String {
        switch self {
        case .notConnected: "the peer is not connected"
        case .messageTooLong(let maximum): "the peer accepts messages of at most \(maximum) bytes"
        case .cancelled: "it was cancelled"
        }
    }

    /// What the sender can do about it, in a sentence without a full stop.
    public var remedy: String {
        switch self {
        case .notConnected: "Send it again when the peer is connected"
        case .messageTooLong: "Send it as a file"
        case .cancelled: "Send it again from a task that lives longer"
        }
    }
}
