import Multipeer
import MultipeerNIO
import Synchronization

/// One life of a session, from its first use to the next `disconnect()`. A session of `Multipeer` that was left is not used again, so each
/// round has its own.
final class Round: Sendable {
    private struct State {
        var beginning: Task<Result<Session, MCDisconnectReason>, Never>?
        var session: Session?
        var listening: Task<Result<Endpoint, MCDisconnectReason>, Never>?
        /// What goes on in it, by number.
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastNumber = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// Makes the session, once the round before is over: a peer that leaves a session and enters it again does so in this order.
    func begin(of engine: SessionEngine, after leaving: Task<Void, Never>?) {
        let beginning = Task { [weak engine, local = engine.local] () -> Result<Session, MCDisconnectReason> in
            await leaving?.value
            switch await local.start() {
            case .failure(let error): return .failure(MCDisconnectReason(.failed, "\(error)"))
            case .success(let peer):
                guard let session = engine?.makeSession(of: peer) else { return .failure(.leftHere) }
                state.withLock { $0.session = session }
                Task { [weak self, weak engine] in
                    for await event in session.events {
                        guard let self, let engine else { return }
                        await engine.take(event, in: self)
                    }
                }
                return .success(session)
            }
        }
        state.withLock { $0.beginning = beginning }
    }

    /// The session, if it is there already.
    var session: Session? { state.withLock { $0.session } }

    /// The session, once it is there.
    func start() async throws(MCDisconnectReason) -> Session {
        guard let beginning = state.withLock({ $0.beginning }) else { throw .leftHere }
        return try await beginning.value.get()
    }

    /// Does something as long as the round goes on. It is cancelled at the end.
    @discardableResult
    func run(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            let task = Task { [weak self] in
                await body()
                self?.state.withLock { state in
                    state.tasks[number] = nil
                }
            }
            if state.isOver { task.cancel() } else { state.tasks[number] = task }
            return task
        }
    }

    /// Where the session listens, once it does.
    func listen(
        accepting accepts: @escaping @Sendable (Invitation) async -> Bool
    ) async throws(MCDisconnectReason) -> Endpoint {
        let listening = state.withLock { state in
            if let listening = state.listening { return listening }
            let listening = Task {
                await Result.catching { () async throws(MCDisconnectReason) -> Endpoint in
                    try await self.bind(accepting: accepts)
                }
            }
            state.listening = listening
            return listening
        }
        return try await listening.value.get()
    }

    private func bind(
        accepting accepts: @escaping @Sendable (Invitation) async -> Bool
    ) async throws(MCDisconnectReason) -> Endpoint {
        let session = try await start()
        do throws(ListenError) {
            do throws(ListenError) {
                return try await session.listen(at: "[::]:0", accepting: accepts)
            } catch {
                // A host without IPv6 has IPv4 alone.
                return try await session.listen(at: "0.0.0.0:0", accepting: accepts)
            }
        } catch {
            throw MCDisconnectReason(.failed, "\(error)")
        }
    }

    /// Ends the round. The task ends when the session was left.
    func leave(after before: Task<Void, Never>?) -> Task<Void, Never> {
        let (tasks, beginning) = state.withLock { state in
            state.isOver = true
            defer { state.tasks = [:] }
            return (Array(state.tasks.values), state.beginning)
        }
        for task in tasks { task.cancel() }
        return Task {
            await before?.value
            guard case .success(let session) = await beginning?.value else { return }
            await session.leave()
        }
    }
}
