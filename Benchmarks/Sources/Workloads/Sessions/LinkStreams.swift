import MultipeerCore
import MultipeerNIO

/// Bytes of a stream over a bare link: what ``SessionStreams`` does, with `LinkConnection` alone.
public final class LinkStreams: Sendable {
    private let links: BareLinks
    private let piece: [UInt8]

    /// Opens a link with the suite that both peers prefer. Each write is of `length` bytes.
    public init(_ peers: Peers, length: Int) throws {
        piece = [UInt8](repeating: 7, count: length)
        links = try BareLinks(peers, suite: nil)
    }

    /// Sends `count` pieces over a stream of their own, and returns when the receiver has seen the end.
    public func run(_ count: Int) throws {
        let (sender, receiver, piece) = (links.sender, links.receiver, piece)
        try blocking {
            async let received = Self.receive(from: receiver)
            let stream = try await sender.openStream(named: "benchmark")
            for _ in 0..<count { try await sender.write(piece, to: stream) }
            try await sender.finishStream(stream)
            guard try await received == count * piece.count else { throw WorkloadFailure.wrongResult }
            // As a `PeerStream` does that nobody keeps.
            try? await sender.stopStream(stream, code: 1)
        }
    }

    private static func receive(from connection: LinkConnection) async throws -> Int {
        var events = connection.events.makeAsyncIterator()
        while let event = await events.next() {
            guard case .stream(.opened(let stream, _)) = event else { continue }
            var received = 0
            for try await bytes in connection.bytes(of: stream) { received += bytes.count }
            try await connection.finishStream(stream)
            return received
        }
        throw WorkloadFailure.link(nil)
    }
}
