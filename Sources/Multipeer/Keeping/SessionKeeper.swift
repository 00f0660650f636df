import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerStorage
import Synchronization

/// Keeps in the peer's store what a later run needs of a session, as it changes (SPEC §14.7).
///
/// Writing waits for nothing else, and nothing waits for it: what is lost in a crash is at most what happened in the last half
/// second, such as one of several newcomers.
final class SessionKeeper: Sendable {
    let name: String
    private let path: String
    private let host: PeerHost
    private let changes: AsyncStream<Void>.Continuation
    private let state: Mutex<State>

    private struct State {
        let stream: AsyncStream<Void>
        var task: Task<Void, Never>?
        /// What is on the disk.
        var kept: SessionMemory?
        var hasFailed = false
        var isOver = false
    }

    private init(_ name: String, at path: String, of host: PeerHost) {
        self.name = name
        self.path = path
        self.host = host
        let (stream, changes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        state = Mutex(State(stream: stream))
    }

    // MARK: The beginning

    /// Reads what was kept under a name, which is this session's from now on.
    static func open(
        _ name: String, of host: PeerHost
    ) async throws(MultipeerError) -> (keeper: SessionKeeper, memory: SessionMemory?) {
        guard let store = host.identity.store else { throw .session(.noStore) }
        guard host.registry.claim(name) else { throw .session(.inUse) }
        do throws(MultipeerError) {
            let (path, stored) = try await read(name, in: store, host.identity.crypto.hashing)
            if let stored, stored.owner != host.id.key { throw .session(.foreign(stored.owner)) }
            return (SessionKeeper(name, at: path, of: host), stored?.memory)
        } catch {
            host.registry.release(name)
            throw error
        }
    }

    private static func read(
        _ name: String, in store: PeerStore, _ hashing: any Hashing
    ) async throws(MultipeerError) -> (String, StoredSession?) {
        do throws(StorageError) {
            return try await BlockingWork.run(.read, name) { () throws(StorageError) in
                let path = try store.prepareSession(named: name)
                return (path, try SessionFile.load(at: path, hashing: hashing))
            }
        } catch {
            throw .session(.storage(error))
        }
    }

    /// How long it takes from one write to the next.
    private static let pause: Duration = .milliseconds(500)

    /// Begins to keep a session, which must not be kept alive by this.
    func begin(_ session: SessionCore) {
        let stream = state.withLock { $0.stream }
        let task = Task { [weak session, clock = host.clock] in
            for await _ in stream {
                guard let keeper = session?.keeper else { return }
                await keeper.keep(session)
                try? await clock.sleep(for: Self.pause, tolerance: nil)
            }
        }
        state.withLock { $0.task = task }
        noteChange()
    }

    // MARK: Changes

    /// The session may have changed.
    func noteChange() { changes.yield() }

    private func keep(_ session: SessionCore?) async {
        guard let session, let id = session.id else { return }
        let found = try? await host.node.perform { (node, _) throws(NodeRequestError) in node.memory(of: id) }
        // A local peer that has not been admitted yet has nothing to come back with.
        guard let memory = found ?? nil, memory.chain != nil, state.withLock({ $0.kept != memory }) else { return }
        let (path, hashing) = (path, host.identity.crypto.hashing)
        let stored = StoredSession(owner: host.id.key, memory: memory)
        do throws(StorageError) {
            try await BlockingWork.run(.write, path) { () throws(StorageError) in
                try SessionFile.save(stored, at: path, hashing: hashing)
            }
            state.withLock { ($0.kept, $0.hasFailed) = (memory, false) }
        } catch {
            // What was about to be written when the end came is written by that.
            guard error.reason != .cancelled else { return }
            let isNew = state.withLock { state in
                defer { state.hasFailed = true }
                return !state.hasFailed
            }
            if isNew { session.tell(.warning(.notKept(error))) }
        }
    }

    // MARK: The end

    /// Nothing more changes: what is not on the disk yet is written now, and another session may have the name.
    func finish(_ session: SessionCore) async {
        // The caller's task may have been cancelled.
        await end { keeper in await Task { await keeper.keep(session) }.value }
    }

    /// The session was left, and is not taken up again.
    func remove() async {
        await end { keeper in
            let path = keeper.path
            let removal = Task {
                try? await BlockingWork.run(.remove, path) { () throws(StorageError) in
                    try SessionFile.remove(at: path)
                }
            }
            await removal.value
        }
    }

    /// The session was not begun. What was kept stays.
    func abandon() async { await end { _ in } }

    private func end(_ last: (SessionKeeper) async -> Void) async {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        changes.finish()
        let task = state.withLock { $0.task.take() }
        task?.cancel()
        await task?.value
        await last(self)
        host.registry.release(name)
    }
}
