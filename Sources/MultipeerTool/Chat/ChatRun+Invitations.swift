import Multipeer
import MultipeerCommandLine
import MultipeerCrypto

/// Peers that want to be let in.
extension ChatRun {
    /// Answers invitations, and peers that ask to join, until the session is left.
    func answerAll(_ invitations: Invitations) {
        Task { [self] in
            await withDiscardingTaskGroup { group in
                for await invitation in invitations { group.addTask { await answer(invitation) } }
            }
        }
    }

    private func answer(_ invitation: Invitation) async {
        if let refusal = await replyUnlessWithdrawn(to: invitation).refusal {
            invitation.decline(refusal)
        } else if !invitation.accept(into: session) {
            output.warn("\(invitation.name) waits no longer")
        }
    }

    /// The question is taken back when the peer waits no longer.
    private func replyUnlessWithdrawn(to invitation: Invitation) async -> InvitationReply {
        let replying = Task { await reply(to: invitation) }
        let watching = Task { if await invitation.waitForWithdrawal() { replying.cancel() } }
        defer { watching.cancel() }
        return await withTaskCancellationHandler {
            await replying.value
        } onCancel: {
            replying.cancel()
        }
    }

    /// The person is asked by a line of the chat, and answers by one. A peer that the local peer is inviting is let in without a word: two
    /// that invite each other want the same chat.
    private func reply(to invitation: Invitation) async -> InvitationReply {
        if wanted.contains(session.peer.tag(of: invitation.peer.key)) { return .accepted }
        return switch acceptance {
        case .all: .accepted
        case .none: .declined
        case .ask: await ask(invitation)
        }
    }

    private func ask(_ invitation: Invitation) async -> InvitationReply {
        let peer = invitation.peer
        let isKnown = await session.peer.knows(peer)
        let reply = await invitations.ask(peer, isKnown: isKnown, for: invitation.timeout) {
            output.report(ChatEvent.invited(peer, invitation.asksToJoin ? .visit : .invitation, isKnown: isKnown))
        }
        if reply == .unanswered { output.warn("\(SafeText.escape(peer.shownName)) was not answered in time") }
        return reply
    }
}
