import Multipeer
import MultipeerCrypto
import MultipeerNIO
import Synchronization

/// One life of a session, from its first use to the next `disconnect()`. A session of `Multipeer` that was left is not used again, so each
/// generation has its own.
final class SessionGeneration: Sendable {
    private struct State {
        var beginning: Task<Result<Session, MCDisconnectReason>, Never>?
        var session: Session?
        /// Where it listens.
        var endpoint = Result<Endpoint, MCDisconnectReason>.failure(.leftHere)
        /// The tasks in it, by number.
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastNumber = 0
        var isOver = false
    }

    private let state = Mutex(State())
    /// The peers that may become connected by data that the apps have exchanged.
    let expectations = Expectations()

    /// Makes the session, once the generation before is over: a peer that leaves a session and enters it again does so in this order.
    func begin(of engine: SessionEngine, after leaving: Task<Void, Never>?) {
        let beginning = Task { [weak engine, local = engine.local] () -> Result<Session, MCDisconnectReason> in
            await leaving?.value
            switch await local.start() {
            case .failure(let error): return .failure(MCDisconnectReason(.failed, "\(error)"))
            case .success(let peer):
                guard let engine else { return .failure(.leftHere) }
                let session = engine.makeSession(of: peer)
                // Members reach each other only where one of the two listens. Others are accepted if the app expects
                // them.
                let endpoint = await listen(session)
                state.withLock { state in
                    state.session = session
                    state.endpoint = endpoint
                }
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

    /// Does something as long as the generation lasts. It is cancelled at the end.
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

    /// Where the session listens.
    func endpoint() async throws(MCDisconnectReason) -> Endpoint {
        _ = try await start()
        return try state.withLock { $0.endpoint }.get()
    }

    private func listen(_ session: Session) async -> Result<Endpoint, MCDisconnectReason> {
        var failure = MCDisconnectReason(.failed, "this host has no address")
        for endpoint in ListeningPlace.endpoints {
            do throws(MultipeerError) {
                return .success(
                    try await session.listen(
                        at: endpoint,
                        refusing: { [weak self] in
                            await self?.expectations.wait(for: $0.peer.key) ?? false ? nil : .declined
                        }, asksPerson: false))
            } catch {
                failure = MCDisconnectReason(.failed, "\(error)")
            }
        }
        return .failure(failure)
    }

    /// Ends the generation. The task ends when the session was left.
    func leave(after before: Task<Void, Never>?) -> Task<Void, Never> {
        let (tasks, beginning) = state.withLock { state in
            state.isOver = true
            defer { state.tasks = [:] }
            return (Array(state.tasks.values), state.beginning)
        }
        for task in tasks { task.cancel() }
        expectations.removeAll()
        return Task {
            await before?.value
            guard case .success(let session) = await beginning?.value else { return }
            await session.leave()
        }
    }
}
