import Foundation
import Multipeer
import MultipeerTerminal
import Synchronization

/// Takes the invitations to an ``MCAdvertiserAssistant``, and asks about each.
final class InvitationDesk: NSObject, MCNearbyServiceAdvertiserDelegate, Sendable {
    let owner = WeakReference<MCAdvertiserAssistant>()
    private let state = Mutex(State())

    private struct State {
        var isOpen = false
        var lastNumber = 0
        /// The questions, those that wait for the terminal too.
        var questions: [Int: Task<Void, Never>] = [:]
    }

    /// From now on people are asked.
    func open() { state.withLock { $0.isOpen = true } }

    /// Every question goes, and a peer that waits for its answer is declined.
    func dismissAll() {
        let questions = state.withLock { state in
            state.isOpen = false
            defer { state.questions = [:] }
            return Array(state.questions.values)
        }
        for question in questions { question.cancel() }
    }

    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
    ) {
        guard let assistant = owner.value, state.withLock({ $0.isOpen }) else { return invitationHandler(false, nil) }
        let answer = Carried(invitationHandler)
        guard LineInput.isPossible else {
            ProcessTerminal.warn(
                "\(InvitationQuestion.name(of: peerID)) was declined: there is nobody to ask, because standard input is not "
                    + "a terminal (MCNearbyServiceAdvertiser lets the app answer)")
            return answer.value(false, nil)
        }
        begin(InvitationQuestion(from: peerID, clock: assistant.session.engine.local.clock), answer, assistant)
    }

    func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error) {
        ProcessTerminal.warn("nobody nearby can find this peer: \(SafeText.escape(error.localizedDescription))")
    }

    private func begin(
        _ question: InvitationQuestion, _ answer: Carried<(Bool, MCSession?) -> Void>,
        _ assistant: MCAdvertiserAssistant
    ) {
        let (session, owner) = (assistant.session, owner)
        state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            state.questions[number] = Task {
                let isWelcome = await question.ask { await owner.value?.willPresent() }
                answer.value(isWelcome, isWelcome ? session : nil)
                self.end(number)
            }
        }
    }

    private func end(_ number: Int) {
        state.withLock { _ = $0.questions.removeValue(forKey: number) }
        owner.value?.didDismiss()
    }
}
