import Multipeer
import MultipeerCrypto
import MultipeerNIO

/// Two peers of this process in one session over loopback TCP, each on an event loop of its own where there are two.
final class SessionPair: Sendable {
    /// The one that has invited.
    let sender: Session
    let receiver: Session

    /// Connects them. Their suite is the one that `CryptoProvider.standard` prefers.
    init() throws {
        (sender, receiver) = try blocking { try await Self.open() }
    }

    private static func open() async throws -> (Session, Session) {
        let anna = Session(of: try await Peer.temporary(named: "Anna"), trust: .everyone)
        let ben = Session(of: try await Peer.temporary(named: "Ben"), trust: .everyone)
        let address = try await ben.listen(at: .loopback)
        let accepting = Task { for await invitation in ben.invitations { invitation.accept(into: ben) } }
        defer { accepting.cancel() }
        try await anna.invite(address, expecting: ben.peer.id.key)
        // Each peer hears for itself.
        for session in [anna, ben] {
            var events = session.events.makeAsyncIterator()
            guard await events.nextConnection() != nil else { throw WorkloadFailure.link(nil) }
        }
        return (anna, ben)
    }
}

extension SessionEvents.Iterator {
    /// The next member that is connected.
    fileprivate mutating func nextConnection() async -> Member? {
        while let event = await next() {
            if case .connected(let member) = event { return member }
        }
        return nil
    }
}
