import MultipeerTerminal

/// The terminal of this process, which questions and lists use one after the other.
enum ProcessTerminal {
    static let screen = {
        let screen = Screen { count, _ in "\(count) results left out, because nobody read them in time" }
        // Nobody waits for long until somebody reads standard error.
        screen.hurry()
        return screen
    }()
    static let turn = TerminalTurn()

    static func warn(_ text: String) { screen.printNote { $0.yellow("warning:") + " " + text } }
}

/// Lets one user of the terminal after the other have it, in the order in which they came.
actor TerminalTurn {
    private var isTaken = false
    private var lastNumber = 0
    private var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []

    /// Waits for the terminal. Returns false, without it, if the task is cancelled.
    func begin() async -> Bool {
        lastNumber += 1
        let number = lastNumber
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: false) }
                guard isTaken else {
                    isTaken = true
                    return continuation.resume(returning: true)
                }
                waiting.append((number, continuation))
            }
        } onCancel: {
            Task { await self.giveUp(number) }
        }
    }

    /// Gives the terminal to the next one.
    func end() {
        guard !waiting.isEmpty else {
            isTaken = false
            return
        }
        waiting.removeFirst().continuation.resume(returning: true)
    }

    private func giveUp(_ number: Int) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).continuation.resume(returning: false)
    }
}
