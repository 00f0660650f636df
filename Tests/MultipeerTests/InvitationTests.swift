import MultipeerClock
import MultipeerCore
import MultipeerTestSupport
import Synchronization
import Testing

@testable import Multipeer

@Suite("Invitations where a session listens, which the app takes one by one", .endsIfItHangs)
struct InvitationTests {
    /// A session that listens, and nobody who answers. Its clock stands still, so that a peer whose invitation takes more than half a
    /// second, on a busy computer, does not come as one that asks to join before.
    private struct Host {
        let session: Session
        let address: Endpoint

        init(_ name: String, clock: any SteadyClock = ManualClock()) async throws {
            let peer = try await Peer.temporary(named: name, options: PeerOptions(clock: clock))
            session = Session(of: peer, trust: .everyone)
            address = try await session.listen(at: .loopback)
        }

        /// The next invitation that comes.
        func next() async throws -> Invitation {
            var invitations = session.invitations.makeAsyncIterator()
            return try #require(await invitations.next())
        }
    }

    /// How invitations have ended; nil for one that was accepted.
    private final class Ends: Sendable {
        let list = Mutex<[MultipeerError?]>([])
    }

    private static func cause(_ error: MultipeerError?) -> LinkFailureCause? {
        if case .link(let failure) = error?.cause { failure.cause } else { nil }
    }

    @Test("An invitation says who invites and for what, and accepting it connects both")
    func accepted() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Host("Ben"))
        async let inviting = anna.session.invite(ben.address, context: "lunch", timeout: .seconds(300))
        let invitation = try await ben.next()
        #expect(invitation.peer.key == anna.id.key && invitation.name == "Anna" && invitation.contextText == "lunch")
        #expect(invitation.timeout == .seconds(300) && invitation.isNewSession && !invitation.asksToJoin)
        #expect(try await invitation.join(ben.session).id.key == anna.id.key)
        #expect(try await inviting.id == ben.session.peer.id)
        #expect(!invitation.accept(into: ben.session), "it is answered once")
        #expect(await !invitation.waitForWithdrawal())
        await ben.session.leave()
    }

    @Test("A peer that asks to join comes as an invitation as well, and is invited by accepting it")
    func joining() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Host("Ben", clock: ContinuousClock()))
        async let joining = anna.session.join(ben.address)
        let invitation = try await ben.next()
        #expect(invitation.asksToJoin && invitation.peer.key == anna.id.key && invitation.context.isEmpty)
        #expect(try await invitation.join(ben.session).id.key == anna.id.key)
        #expect(try await joining.id == ben.session.peer.id)
        // A third one learns that it is not admitted.
        let cleo = try await Friend("Cleo")
        async let refused: Void = {
            let error = await #expect(throws: MultipeerError.self) { try await cleo.session.join(ben.address) }
            #expect(error?.code == .closed)
        }()
        try await ben.next().decline()
        await refused
        await ben.session.leave()
    }

    @Test("An invitation can be accepted into another session than the one that listens")
    func otherSession() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Host("Ben"))
        let other = Session(of: ben.session.peer, trust: .everyone)
        async let inviting = anna.session.invite(ben.address)
        #expect(try await ben.next().accept(into: other))
        _ = try await inviting
        try await eventually { other.connectedPeers.map(\.name) == ["Anna"] }
        #expect(ben.session.connectedPeers.isEmpty)
        await other.leave()
        await ben.session.leave()
    }

    @Test(
        "The inviter gets the reason of a refusal (SPEC §8.4)",
        arguments: [
            (.declined, .declinedByPeer), (.unanswered, .noAnswer), (.busy, .peerBusy),
        ] as [(InvitationRefusal, InvitationEnd)])
    func refusals(refusal: InvitationRefusal, cause: InvitationEnd) async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Host("Ben"))
        async let inviting = #expect(throws: MultipeerError.self) { try await anna.session.invite(ben.address) }
        try await ben.next().decline(refusal)
        #expect(Self.cause(await inviting) == .invitation(cause))
        await ben.session.leave()
    }

    @Test("An invitation that the app drops is declined")
    func dropped() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Host("Ben"))
        async let inviting = #expect(throws: MultipeerError.self) { try await anna.session.invite(ben.address) }
        _ = try await ben.next()
        let error = await inviting
        #expect(error?.code == .declined, "\(String(describing: error))")
        await ben.session.leave()
    }

    @Test("The app learns that the peer waits no longer, and accepts nothing then")
    func withdrawn() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Host("Ben"))
        let inviting = Task { try await anna.session.invite(ben.address) }
        let invitation = try await ben.next()
        inviting.cancel()
        #expect(await invitation.waitForWithdrawal())
        #expect(!invitation.accept(into: ben.session))
        let error = await #expect(throws: MultipeerError.self) { try await invitation.join(ben.session) }
        #expect(error?.code == .closed)
        await ben.session.leave()
    }

    @Test("Strangers at one address wait in a quarter of the places, and others hear that the peer is busy")
    func strangers() async throws {
        // Twelve handshakes at once can take longer than one may, on a busy computer.
        let clock = ManualClock()
        let ben = try await Host("Ben", clock: clock)
        let ends = Ends()
        var strangers: [Task<Friend, any Error>] = []
        for number in 0..<12 {
            strangers.append(
                Task {
                    let eve = try await Friend("Eve \(number)", clock: clock)
                    do throws(MultipeerError) {
                        try await eve.session.invite(ben.address, timeout: .seconds(600))
                        ends.list.withLock { $0.append(nil) }
                    } catch {
                        ends.list.withLock { $0.append(error) }
                    }
                    return eve
                })
        }
        // Nobody takes them, so those that wait still wait.
        try await eventually { ends.list.withLock { $0.count } == 8 }
        let causes = ends.list.withLock { $0.map(Self.cause) }
        #expect(causes.allSatisfy { $0 == .invitation(.peerBusy) }, "\(causes)")
        // The session ends, and with it the sequence and the waiting.
        let taking = Task { for await _ in ben.session.invitations {} }
        await ben.session.leave()
        await taking.value
        for stranger in strangers { _ = try await stranger.value }
        #expect(ends.list.withLock { $0.count == 12 && !$0.contains { $0 == nil } })
    }
}
