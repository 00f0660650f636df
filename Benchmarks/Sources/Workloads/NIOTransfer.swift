import MultipeerCore
import MultipeerNIO
import MultipeerWire

/// Messages over loopback TCP between two connections of `MultipeerNIO`, each on an event loop of its own.
public final class NIOTransfer: Sendable {
    private let links: BareLinks
    private let message: [UInt8]

    /// Opens a session. Without a suite both peers take the one that they prefer, as peers of `Multipeer` do.
    public init(_ peers: Peers, suite: Suite?, length: Int) throws {
        message = [UInt8](repeating: 7, count: length)
        links = try BareLinks(peers, suite: suite)
    }

    /// Sends `count` messages, and returns when the last has come out of the receiver's events.
    public func run(_ count: Int) throws {
        let (sender, receiver, message) = (links.sender, links.receiver, message)
        try blocking {
            async let received: Void = Self.receive(count, of: message.count, from: receiver)
            for _ in 0..<count { try await sender.send(message) }
            try await received
        }
    }

    private static func receive(_ count: Int, of length: Int, from connection: LinkConnection) async throws {
        var events = connection.events.makeAsyncIterator()
        for _ in 0..<count {
            guard case .message(let message) = await events.next(), message.count == length else {
                throw WorkloadFailure.wrongResult
            }
        }
    }
}
