public import MultipeerCore

/// One message of a ``SendQueue``, which tells what has become of it (R13.6-3).
public struct SentMessage: Sendable {
    let number: UInt64
    let queue: SendQueue

    /// What has become of the message; nil while that is not certain.
    public var result: MessageResult? { queue.result(of: number) }

    /// Waits until it is certain what has become of the message: the peer has acknowledged it, or the link has ended.
    ///
    /// A peer acknowledges a message when it has come whole and waits for the peer's app, usually within 20 ms. A peer that stopped
    /// reading makes this wait until the link ends.
    /// - Throws: `CancellationError` if the task is cancelled before.
    public func outcome() async throws(CancellationError) -> MessageResult {
        guard let result = await queue.waitForResult(of: number) else { throw CancellationError() }
        return result
    }
}

/// How many messages of a link that has ended did not arrive for certain.
public struct UndeliveredMessages: Hashable, Sendable {
    /// The messages that the peer never gets.
    public var notSent = 0
    /// The messages that were given to the transport whole, and that the peer did not acknowledge.
    public var inDoubt = 0

    /// No message.
    public init() {}

    /// Whether all messages arrived.
    public var isEmpty: Bool { self == Self() }
}

extension UndeliveredMessages: CustomStringConvertible {
    /// The counts in a clause, such as *2 messages were not sent, 1 message was perhaps not received*; empty if all arrived.
    public var description: String {
        [(notSent, "not sent"), (inDoubt, "perhaps not received")].filter { $0.0 > 0 }.map { count, what in
            (count == 1 ? "1 message was " : "\(count) messages were ") + what
        }.joined(separator: ", ")
    }
}
