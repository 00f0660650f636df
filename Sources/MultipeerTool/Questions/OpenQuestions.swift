import MultipeerCommandLine
import Synchronization

/// The questions about what one sender offers. They go when the sender does, or when the command ends: a person who
/// would answer one then would keep the next question waiting, for nothing.
final class OpenQuestions: Sendable {
    private struct State {
        var asking: [Int: Task<InvitationReply, Never>] = [:]
        var lastNumber = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// Asks, unless the sender has gone, and returns the reply.
    func ask(_ body: @escaping @Sendable () async -> InvitationReply) async -> InvitationReply {
        let asking = state.withLock { state -> (Int, Task<InvitationReply, Never>)? in
            guard !state.isOver else { return nil }
            state.lastNumber += 1
            let task = Task { await body() }
            state.asking[state.lastNumber] = task
            return (state.lastNumber, task)
        }
        guard let (number, task) = asking else { return .withdrawn }
        let reply = await task.value
        state.withLock { _ = $0.asking.removeValue(forKey: number) }
        return reply
    }

    /// The sender has gone.
    func withdraw() {
        let asking = state.withLock { state in
            state.isOver = true
            return state.asking.values.map(\.self)
        }
        for task in asking { task.cancel() }
    }
}
