import MultipeerTerminal

/// Asks the person at the terminal, one question at a time.
///
/// A peer can make the local peer ask, so questions have bounds (``QuestionQueue``) and end after a while. A question
/// also goes when its inviter has gone, which cancels the task that asks.
package actor Prompter {
    /// How long a question may wait for its answer, counted from when the invitation came.
    private let patience: Duration
    private var queue = QuestionQueue()
    private var continuations: [Int: CheckedContinuation<InvitationReply, Never>] = [:]
    /// Reads the answer to the first question, if there is one.
    private var reading: Task<Void, Never>?

    package init(patience: Duration = .seconds(60)) {
        self.patience = patience
    }

    /// Returns the person's reply. Without a terminal, the reply is no.
    package func ask(_ question: any Question, _ output: Output) async -> InvitationReply {
        guard LineInput.isPossible else {
            output.warn(
                "\(question.label)declined: there is nobody to ask, because standard input is not a terminal "
                    + "(--accept all)")
            return .declined
        }
        guard let number = queue.add(question) else {
            output.warn("\(question.label)not asked: too many questions wait for an answer")
            return .crowded
        }
        let clock = Task { [patience] in
            // A clock that is cancelled has nothing to end any more.
            try? await Task.sleep(for: patience)
            self.end(number, .unanswered, output)
        }
        defer { clock.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                continuations[number] = continuation
                if Task.isCancelled { end(number, .withdrawn, output) } else { askNext(output) }
            }
        } onCancel: {
            Task { await self.end(number, .withdrawn, output) }
        }
    }

    /// Ends a question, if it still waits.
    private func end(_ number: Int, _ reply: InvitationReply, _ output: Output) {
        guard let continuation = continuations.removeValue(forKey: number) else { return }
        if queue.remove(number) { reading?.cancel() }
        continuation.resume(returning: reply)
        askNext(output)
    }

    private func askNext(_ output: Output) {
        // Until the last question is no longer read, it could take the answer to the next one.
        guard reading == nil, let (number, question) = queue.begin() else { return }
        question.appear()
        output.note { _ in question.text }
        reading = Task {
            let line = await LineInput(on: output.screen).line(question.lastLine)
            self.typed(line, question, number, output)
        }
    }

    private func typed(_ line: String?, _ question: any Question, _ number: Int, _ output: Output) {
        reading = nil
        end(number, question.reply(to: line), output)
        askNext(output)
    }
}
