import Multipeer
import MultipeerNIO

/// Sessions of two that do nothing, over loopback TCP: first all peers for themselves, each with a session that listens, then two
/// and two connected.
public final class IdleSessions: Sendable {
    private let sessions: [(session: Session, address: Endpoint)]

    /// Makes `pairs` pairs of peers that are not connected.
    public init(pairs: Int) throws {
        sessions = try blocking {
            var sessions: [(session: Session, address: Endpoint)] = []
            for number in 0..<2 * pairs {
                let session = Session(of: try await Peer.temporary(named: "Member \(number)"), trust: .everyone)
                let address = try await session.listen(at: .loopback)
                Task { for await invitation in session.invitations { invitation.accept(into: session) } }
                sessions.append((session, address))
            }
            return sessions
        }
    }

    /// How many sessions there are.
    public var count: Int { sessions.count }

    /// Connects two and two, and waits until nothing happens any more.
    public func connect() throws {
        try blocking { [sessions] in
            for index in stride(from: 0, to: sessions.count, by: 2) {
                try await sessions[index].session.invite(sessions[index + 1].address)
            }
            while sessions.contains(where: { $0.session.connectedPeers.count != 1 }) {
                try await Task.sleep(for: .milliseconds(10))
            }
            for (session, _) in sessions { try await Self.takeConnection(of: session) }
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private static func takeConnection(of session: Session) async throws {
        for await event in session.events {
            if case .connected = event { return }
        }
        throw WorkloadFailure.link(nil)
    }
}
