import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerTestSupport
import Testing

@testable import MultipeerTool

@Suite("Peers that wait to be let into a chat", .endsIfItHangs)
struct OpenInvitationTests {
    private let invitations = OpenInvitations()

    private static func stranger() async throws -> PeerID { try await Peer.temporary(named: "Anna").id }

    @Test("An invitation that nobody answers in time is no refusal by a person")
    func unanswered() async throws {
        let peer = try await Self.stranger()
        #expect(await invitations.ask(peer, isKnown: false, for: .milliseconds(1)) {} == .unanswered)
        #expect(invitations.peers.isEmpty)
    }

    @Test("A person answers, and the peer stops waiting")
    func answered() async throws {
        let peer = try await Self.stranger()
        for isAccepted in [true, false] {
            let invitations = invitations
            let asking = Task {
                await invitations.ask(peer, isKnown: true, for: .seconds(600)) {
                    invitations.answer(peer, isAccepted: isAccepted)
                }
            }
            #expect(await asking.value == (isAccepted ? .accepted : .declined))
        }
    }

    @Test("A question for which there is no room does not count as declined")
    func crowded() async throws {
        let peer = try await Self.stranger()
        for _ in 0..<OpenInvitations.mostStrangersShown {
            #expect(await invitations.ask(peer, isKnown: false, for: .milliseconds(1)) {} == .unanswered)
        }
        #expect(await invitations.ask(peer, isKnown: false, for: .seconds(600)) {} == .crowded)
    }
}
