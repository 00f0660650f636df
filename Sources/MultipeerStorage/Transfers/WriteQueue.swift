import Synchronization

/// A queue of chunks of a received file that wait to be written to the disk.
///
/// A thread that may block writes them in order. It starts when a batch has arrived or the file ends, and not with
/// every chunk, because waking a thread costs as much as writing a few pages.
final class WriteQueue: Sendable {
    /// The number of waiting bytes at which a caller waits until half of them are written.
    static let limit = ReceivedFile.writeBehindLimit
    /// What a chunk costs in addition to its bytes. It bounds the number of small chunks, whose size a peer chooses.
    static let overhead = 64
    /// The number of waiting bytes at which writing starts.
    private static let batch = 524_288

    private let partial: PartialFile
    private let name: String
    private let expectedLength: UInt64
    private let state: Mutex<State>

    private struct State {
        var chunks: [[UInt8]] = []
        /// The cost of the waiting chunks and of those that are being written.
        var waiting = 0
        /// The total number of bytes of all chunks so far.
        var length: UInt64
        var isWriting = false
        /// The reason why later chunks are refused.
        var refusal: StorageError?
        /// The waiting caller, and the number of waiting bytes at which it continues.
        var waiter: (continuation: CheckedContinuation<Void, Never>, level: Int)?
    }

    /// - Parameter expectedLength: The greatest length of the file, with what it has at the beginning.
    init(_ partial: PartialFile, name: String, expectedLength: UInt64) {
        self.partial = partial
        self.name = name
        self.expectedLength = expectedLength
        state = Mutex(State(length: partial.length))
    }

    /// Whether a caller waits for the disk.
    var hasWaiter: Bool { state.withLock { $0.waiter != nil } }

    // MARK: The caller

    /// Appends a chunk. Waits if too many bytes already wait.
    func append(_ chunk: [UInt8]) async throws(StorageError) {
        let added: Result<Int, StorageError> = state.withLock { add(chunk, to: &$0) }
        switch added {
        case .failure(let error):
            if case .tooLarge = error.reason { discard() }
            throw error
        case .success(let waiting):
            if waiting >= Self.batch { beginWriting() }
            if waiting >= Self.limit { await wait(until: Self.limit / 2) }
        }
    }

    /// Adds a chunk. Returns how many bytes wait now, or why the chunk is refused.
    private func add(_ chunk: [UInt8], to state: inout State) -> Result<Int, StorageError> {
        if let refusal = state.refusal { return .failure(refusal) }
        guard UInt64(chunk.count) <= expectedLength - state.length else {
            return .failure(StorageError(.write, name, .tooLarge(limit: expectedLength)))
        }
        state.chunks.append(chunk)
        state.waiting += chunk.count + Self.overhead
        state.length += UInt64(chunk.count)
        return .success(state.waiting)
    }

    /// Waits until everything has been written. Later chunks are refused.
    func finish() async throws(StorageError) {
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        beginWriting()
        await wait(until: 0)
        let refusal = state.withLock { state in
            defer { state.refusal = StorageError(.write, name, .cancelled) }
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    /// Waits until what has come is written, as far as that succeeds.
    func settle() async {
        beginWriting()
        await wait(until: 0)
    }

    /// Drops the waiting chunks, and ends the file unless it is finished (``PartialFile/end(keeping:)``). Waits for a write that
    /// is under way.
    func discard(keeping: Bool = false) {
        refuse(StorageError(.write, name, .cancelled))
        partial.end(keeping: keeping)
    }

    private func wait(until level: Int) async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.refusal == nil, state.waiting > level else { return false }
                state.waiter = (continuation, level)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    // MARK: The thread

    private func beginWriting() {
        let mustStart = state.withLock { state in
            guard !state.isWriting, !state.chunks.isEmpty else { return false }
            state.isWriting = true
            return true
        }
        if mustStart { BlockingWork.start { [self] in write() } }
    }

    private func write() {
        while let chunks = takeChunks() {
            do throws(StorageError) {
                for chunk in chunks {
                    try partial.write(chunk)
                    noteWritten(chunk.count + Self.overhead)
                }
            } catch {
                refuse(error)
            }
        }
    }

    /// Takes all chunks at once. Taking them one by one from the front of an array would move all others each time.
    private func takeChunks() -> [[UInt8]]? {
        state.withLock { state in
            guard !state.chunks.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer { state.chunks = [] }
            return state.chunks
        }
    }

    private func noteWritten(_ count: Int) {
        let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.waiting = max(0, state.waiting - count)
            guard let waiter = state.waiter, state.waiting <= waiter.level else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        waiter?.resume()
    }

    /// Refuses later chunks. The first reason stays.
    private func refuse(_ error: StorageError) {
        let waiter = state.withLock { state in
            if state.refusal == nil { state.refusal = error }
            state.chunks = []
            state.waiting = 0
            defer { state.waiter = nil }
            return state.waiter?.continuation
        }
        waiter?.resume()
    }
}
