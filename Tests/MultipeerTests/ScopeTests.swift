import Multipeer
import MultipeerStorage
import MultipeerTestSupport
import Testing

@Suite("Peers and sessions that end with a call", .endsIfItHangs)
struct ScopeTests {
    private struct Failure: Error {}

    @Test("A session is left when its body returns, and the result is the body's")
    func returning() async throws {
        let ben = try await Friend("Ben")
        let anna = try await Peer.temporary(named: "Anna")
        let name = try await anna.withSession(trust: .everyone) { session in
            let member = try await session.invite(ben.address)
            try await eventually { ben.connected == ["Anna"] }
            return member.name
        }
        #expect(name == "Ben")
        try await eventually { ben.seen.reasons(for: "Anna").first?.departure == .left }
    }

    @Test("A peer is shut down when its body throws, and when its task is cancelled")
    func throwing() async throws {
        let ben = try await Friend("Ben")
        let scratch = try Scratch()
        let store = PeerStore(directory: scratch / "store")
        await #expect(throws: Failure.self) {
            try await Peer.withPeer(named: "Anna", from: store) { peer in
                let session = Session(of: peer, trust: .everyone)
                try await session.invite(ben.address)
                try await eventually { ben.connected == ["Anna"] }
                throw Failure()
            }
        }
        try await eventually { ben.connected.isEmpty }
        let (invited, report) = AsyncStream.makeStream(of: Void.self)
        let cancelled = Task {
            try await Peer.withPeer(named: "Anna", from: store) { peer in
                try await peer.withSession(trust: .everyone) { session in
                    try await session.invite(ben.address)
                    report.finish()
                    // It ends when the task is cancelled, or with the session.
                    for await _ in session.events {}
                    try Task.checkCancellation()
                }
            }
        }
        // A task that is cancelled before would withdraw the invitation.
        for await _ in invited {}
        try await eventually { ben.connected == ["Anna"] }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await eventually { ben.seen.reasons(for: "Anna").last?.departure == .left }
    }
}
