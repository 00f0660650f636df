/// Names one message of the local peer on one link. Tags grow in the order in which the app gave its messages.
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

/// Tags in ascending order, as ranges: what a peer leaves unacknowledged costs no memory for each message.
struct MessageTags: Sendable {
    /// The range that grows.
    private var last: MessageRange?
    /// Those before it.
    private var ranges: [MessageRange] = []
    private(set) var count: UInt64 = 0

    /// Adds a tag above all that are there.
    mutating func append(_ tag: MessageTag) {
        count += 1
        if let last, last.last.number + 1 == tag.number {
            self.last = MessageRange(first: last.first, last: tag)
            return
        }
        if let last { ranges.append(last) }
        last = MessageRange(first: tag, last: tag)
    }

    /// Takes the first `count` tags, of which there must be as many.
    mutating func takeFirst(_ count: UInt64) -> [MessageRange] {
        if let last { ranges.append(last) }
        defer { last = ranges.popLast() }
        var (taken, left): ([MessageRange], UInt64) = ([], min(count, self.count))
        self.count -= left
        while left > 0, let range = ranges.first {
            guard range.count > left else {
                taken.append(ranges.removeFirst())
                left -= range.count
                continue
            }
            let middle = MessageTag(number: range.first.number + left)
            taken.append(MessageRange(first: range.first, last: MessageTag(number: middle.number - 1)))
            ranges[0] = MessageRange(first: middle, last: range.last)
            left = 0
        }
        return taken
    }

    /// Takes all tags.
    mutating func takeAll() -> [MessageRange] { takeFirst(count) }
}
