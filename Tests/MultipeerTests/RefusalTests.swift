import MultipeerCore
import MultipeerTestSupport
import Testing

@testable import Multipeer

@Suite("Refusals of a session that listens, SPEC §8.4", .endsIfItHangs)
struct RefusalTests {
    @Test(
        "The inviter gets the reason of a refusal",
        arguments: [
            (.declined, .declinedByPeer), (.unanswered, .noAnswer), (.busy, .peerBusy),
        ] as [(InvitationRefusal, InvitationEnd)])
    func refusals(refusal: InvitationRefusal, cause: InvitationEnd) async throws {
        let anna = try await Friend("Anna")
        let ben = Session(of: try await Peer.temporary(named: "Ben"), trust: .everyone)
        let address = try await ben.listen(at: .loopback, refusing: { _ in refusal })
        let error = await #expect(throws: MultipeerError.self) { try await anna.session.invite(address) }
        guard case .link(let failure) = error?.cause else { throw CancellationError() }
        #expect(failure.cause == .invitation(cause))
        await ben.leave()
    }
}
