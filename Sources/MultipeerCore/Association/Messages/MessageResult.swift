/// Names one message of the local peer in one association. Tags grow in the order in which the app gave its messages.
public struct MessageTag: Hashable, Sendable, Comparable {
    /// The number of the message, from 1.
    public let number: UInt64

    public static func < (left: MessageTag, right: MessageTag) -> Bool { left.number < right.number }
}

/// What became of a message (R13.6-3).
@nonexhaustive
public enum MessageResult: Hashable, Sendable {
    /// The peer has processed it: its app gets it.
    case delivered
    /// It never reaches the other app.
    case notSent
    /// It was given to the transport whole, and the link ended before the peer said that it came.
    case inDoubt
}

/// Messages that follow each other.
public struct MessageRange: Hashable, Sendable {
    /// The first of them.
    public let first: MessageTag
    /// The last of them.
    public let last: MessageTag

    /// Whether the range has this message.
    public func contains(_ tag: MessageTag) -> Bool { first <= tag && tag <= last }

    /// How many messages there are.
    public var count: UInt64 { last.number - first.number + 1 }
}

extension [MessageRange] {
    /// Adds a message above all that are there.
    mutating func append(next tag: MessageTag) {
        if let last, last.last.number + 1 == tag.number {
            self[count - 1] = MessageRange(first: last.first, last: tag)
        } else {
            append(MessageRange(first: tag, last: tag))
        }
    }
}
