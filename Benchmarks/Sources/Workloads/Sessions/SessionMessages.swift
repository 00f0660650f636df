import Multipeer

/// Messages from member to member: `Session.send` to the receiver's event.
public final class SessionMessages: Sendable {
    private let pair: SessionPair
    private let message: [UInt8]

    /// Opens a session.
    public init(length: Int) throws {
        message = [UInt8](repeating: 7, count: length)
        pair = try SessionPair()
    }

    /// Sends `count` messages, and returns when the last has come out of the receiver's events.
    public func run(_ count: Int) throws {
        let (sender, receiver, message) = (pair.sender, pair.receiver, message)
        try blocking {
            async let received: Void = Self.receive(count, of: message.count, in: receiver)
            for _ in 0..<count {
                guard try await sender.send(message).count == 1 else { throw WorkloadFailure.wrongResult }
            }
            try await received
        }
    }

    private static func receive(_ count: Int, of length: Int, in session: Session) async throws {
        var events = session.events.makeAsyncIterator()
        for _ in 0..<count {
            guard case .message(let message, _) = await events.next(), message.bytes.count == length else {
                throw WorkloadFailure.wrongResult
            }
        }
    }
}
