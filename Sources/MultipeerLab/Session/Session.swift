import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire

/// Runs one link from its first event to its last: answers its questions, and reports what happens.
///
/// One task takes the events one after the other. Each file and stream of the peer has a task of its own, so that a
/// slow disk or pipe slows that one alone; it runs to its own end. Work that waits for people or the peer runs in tasks
/// that end with the link.
struct Session: Sendable {
    let connection: LinkConnection
    let number: Int
    let settings: SessionSettings
    let output: Output
    /// Whether what happens to the link is printed. What a command does by itself always is.
    var voice = Voice(isHeard: true)
    /// Told how far the link has come.
    var onMilestone: (@Sendable (Milestone) -> Void)?

    /// How far a link has come.
    enum Milestone: Sendable {
        case identified, opened
    }

    /// The outcome of a session.
    struct Outcome: Sendable {
        /// The first failure.
        var failure: CommandFailure?
        /// Whether the peer was identified. Before that it may be anything, such as a program that looks for open ports.
        var wasIdentified = false
        /// Whether the peer left before it had said hello. It was a probe and not a peer.
        var isProbe = false

        var status: ExitStatus { failure?.status ?? .done }
    }

    /// Runs until the link ends.
    func run() async -> Outcome {
        await withTaskGroup(of: CommandFailure?.self) { group in
            var state = SessionState(
                transfers: FileTransfers(over: connection, settings: FileTransferSettings(digest: settings.digest)))
            for await event in connection.events {
                state.transfers.report(event)
                await handle(event, &state, &group)
                if case .closed = event { group.cancelAll() }
            }
            state.transfers.finish()
            group.cancelAll()
            if let failure = await state.receiving.finish() { state.note(failure) }
            for await failure in group {
                if let failure { state.note(failure) }
            }
            return finish(state)
        }
    }

    /// The tasks that run beside the events, and the state between events.
    struct SessionState {
        let transfers: FileTransfers
        /// Files and streams of the peer.
        let receiving = SideWork()
        var peer: PeerID?
        var fileFailure: CommandFailure?
        var end: LinkEnd?

        /// Records a failure, and keeps the first one.
        mutating func note(_ failure: CommandFailure) {
            if fileFailure == nil { fileFailure = failure }
        }
    }

    private func handle(
        _ event: LinkEvent, _ state: inout SessionState, _ group: inout TaskGroup<CommandFailure?>
    ) async {
        switch event {
        case .identified(let peer):
            state.peer = peer
            onMilestone?(.identified)
            if !voice.isHeard, await settings.validator.recognizes(peer) { voice.raise() }
            tell(.identified(peer))
        case .invited(let token, let invitation):
            guard let peer = state.peer else { return }
            // A link of its own is no member of anything (SPEC §14.8).
            guard invitation.kind != .members else {
                try? await connection.decline(token, .noSession)
                return
            }
            tell(.invited(peer, invitation))
            group.addTask { await answer(token, invitation, from: peer) }
        case .invitationAccepted(let outcome): tell(.invitationAccepted(outcome))
        case .verify: break  // The validator in the connection's options answers.
        case .opened(let summary):
            onMilestone?(.opened)
            voice.raise()
            tell(.opened(summary))
            if let outbox = settings.outbox {
                let sender = Sender(session: self, outbox: outbox, peer: summary.peer.key, transfers: state.transfers)
                group.addTask { await sender.run() }
            }
        case .message(let bytes), .datagram(let bytes):
            tell(.message(bytes))
            await output.waitForRoom()
        case .incomingFile(.offered(let offer)): await offered(offer, &state)
        case .stream(.opened(let stream, let name)): await receive(stream, named: name, &state)
        case .closed(let end): state.end = end
        // This program shows no code.
        case .verification(.codeWanted(let token, _)): try? await connection.answerCode(token, with: nil)
        // The transfers have their events already.
        case .incomingFile, .outgoingFile, .stream, .messages, .probeAnswered, .datagramPath, .memoryWanted,
            .memoryReturned,
            .messageStalled,
            .verification:
            break
        case .trace(let entry):
            output.note { TraceText.lines(entry, link: label, $0) }
            await output.waitForRoom()
        }
    }

    // MARK: Questions

    private func answer(_ token: LinkToken, _ invitation: ReceivedInvitation, from peer: PeerID) async
        -> CommandFailure?
    {
        // Nobody is asked about what cannot succeed (R8.2-9).
        let own = settings.terms.encryption
        guard invitation.canAgree(with: own) else {
            try? await connection.decline(token, .encryptionPolicy(own))
            return nil
        }
        let reply: InvitationReply
        switch settings.acceptance {
        case .all: reply = .accepted
        case .none: reply = .declined
        case .ask(let prompter):
            let caller = Caller(
                peer.key, from: connection.remote, isKnown: await settings.validator.recognizes(peer))
            let question = InvitationQuestion(invitation: invitation, peer: peer, caller: caller, label: label)
            reply = await prompter.ask(question, output)
        }
        guard !Task.isCancelled else { return nil }
        // An answer that comes too late changes nothing.
        switch reply {
        case .accepted, .always: try? await connection.accept(token, with: settings.terms)
        case .declined, .withdrawn: try? await connection.decline(token)
        case .unanswered: try? await connection.decline(token, .noAnswer)
        case .crowded: try? await connection.decline(token, .busy)
        }
        return nil
    }

    // MARK: The end

    private func finish(_ state: SessionState) -> Outcome {
        var outcome = Outcome(failure: state.fileFailure, wasIdentified: state.peer != nil)
        switch state.end {
        case .finished:
            outcome.failure = CommandFailure(connection.undelivered) ?? outcome.failure
            tell(.closed)
        case .failed(let failure):
            outcome.isProbe = failure.stage == .hello && failure.cause == .truncated
            outcome.failure = CommandFailure(
                failure, hint: Hints.remedy(failure, state.peer, settings.policy, for: .link))
        case nil:
            outcome.failure = CommandFailure(
                LinkFailure(stage: .closed, cause: .truncated))
        }
        return outcome
    }

    // MARK: Telling

    func tell(_ event: SessionEvent) {
        guard voice.isHeard else { return }
        output.report(NumberedEvent(event: event, link: number, showsNumber: settings.showsNumbers))
    }

    /// Reports why the link has failed.
    func fail(_ failure: CommandFailure) {
        if voice.isHeard { output.fail(failure, link: number, label: label) }
    }

    /// The label that shows people which link this is. It is empty if there are no others.
    var label: String { settings.showsNumbers ? "[\(number)] " : "" }
}
