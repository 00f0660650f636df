import Multipeer
import MultipeerNIO

/// Bytes of a stream from member to member: `openStream` and `write` to the receiver's `bytes`.
public final class SessionStreams: Sendable {
    private let pair: SessionPair
    private let piece: [UInt8]

    /// Opens a session. Each write is of `length` bytes.
    public init(length: Int) throws {
        piece = [UInt8](repeating: 7, count: length)
        pair = try SessionPair()
    }

    /// Sends `count` pieces over a stream of their own, and returns when the receiver has seen the end.
    public func run(_ count: Int) throws {
        let (sender, receiver, piece) = (pair.sender, pair.receiver, piece)
        try blocking {
            async let received = Self.receive(in: receiver)
            let stream = try await sender.openStream(named: "benchmark", to: receiver.peer.id)
            for _ in 0..<count { try await stream.write(piece) }
            try await stream.finish()
            guard try await received == count * piece.count else { throw WorkloadFailure.wrongResult }
        }
    }

    private static func receive(in session: Session) async throws -> Int {
        var events = session.events.makeAsyncIterator()
        guard case .stream(let stream) = await events.next() else { throw WorkloadFailure.wrongResult }
        var received = 0
        for try await bytes in stream.bytes { received += bytes.count }
        try await stream.finish()
        return received
    }
}
