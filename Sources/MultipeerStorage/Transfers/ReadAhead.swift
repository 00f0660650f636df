import Synchronization

/// A reader that reads a file ahead of its sender, on a thread that may block.
///
/// The chunks come in order, from where the sender begins to the end of the file. A reader that is asked for bytes from elsewhere goes on from
/// there. At most ``depth`` chunks are in memory. Their memory is reused, so take the next chunk only when the previous one is no longer
/// needed.
public final class ReadAhead: Sendable {
    /// The greatest number of chunks in memory, including the one that was taken last.
    public static let depth = 32

    /// The answer to ``next(from:atMost:whenReady:)``.
    public enum Step: Sendable {
        /// The next bytes. They are empty at the end of the file.
        case chunk([UInt8])
        /// The next chunk has not been read yet.
        case notReady
        case failed(StorageError)
    }

    private let file: OutgoingFile
    private let state: Mutex<ReadAheadState>

    /// Creates a reader. It begins to read at the first call of ``next(from:atMost:whenReady:)``.
    public init(_ file: OutgoingFile) {
        self.file = file
        state = Mutex(ReadAheadState(length: file.length))
    }

    /// The reason why the file could not be read to its end, or nil.
    public var failure: StorageError? { state.withLock { $0.failure } }

    /// The number of chunks in memory, including the one that was taken last.
    var chunkCount: Int { state.withLock { $0.filled } }

    /// Whether a thread is reading.
    var isReading: Bool { state.withLock { $0.isReading } }

    /// Takes the next chunk without waiting. After ``Step/notReady``, `whenReady` is called once, on a thread of the
    /// reader. Repeat the call then.
    /// - Parameters:
    ///   - offset: Where the chunk begins. What was read ahead is of use only where the last chunk ended.
    ///   - maximum: The greatest length of a chunk, at least one byte. The first call decides the length of all chunks.
    ///   - whenReady: Called when the next chunk has been read.
    public func next(
        from offset: UInt64, atMost maximum: Int, whenReady: @escaping @Sendable () -> Void
    ) -> Step {
        let (step, mustRead) = state.withLock { state in
            let step = state.take(from: min(offset, file.length), atMost: maximum, whenReady)
            return (step, state.beginReading())
        }
        if mustRead { BlockingWork.start { [self] in read() } }
        return step
    }

    /// Stops reading, and releases all chunks.
    public func stop() {
        state.withLock { $0.stop() }
    }

    /// Reads until there is no room, the file ends, or somebody stops it.
    private func read() {
        while var task = state.withLock({ $0.claim() }) {
            var failure: StorageError?
            do throws(StorageError) {
                try file.fill(&task.bytes, from: task.offset)
            } catch {
                failure = error
            }
            let wake = state.withLock { $0.complete(task, failure) }
            wake?()
        }
    }
}

/// One chunk that is being read.
struct ReadTask {
    /// How often the reader had been moved.
    let moves: Int
    let slot: Int
    let offset: UInt64
    var bytes: [UInt8]
}

/// A ring of chunks.
struct ReadAheadState {
    private let length: UInt64
    /// Chunks from `head` on are filled. The memory of the others is used for the next ones.
    private var slots = [[UInt8]](repeating: [], count: ReadAhead.depth)
    private var head = 0
    private(set) var filled = 0
    /// Whether the chunk at `head` has been taken, and may still be in use.
    private var isHeadTaken = false
    private var chunkLength = 0
    /// The offset of the next chunk to take, and of the next one to read.
    private var position: UInt64 = 0
    private var offset: UInt64 = 0
    /// How often the reader has been moved elsewhere.
    private var moves = 0
    private(set) var isReading = false
    private var isStopped = false
    private(set) var failure: StorageError?
    private var whenReady: (@Sendable () -> Void)?

    init(length: UInt64) {
        self.length = length
    }

    mutating func take(
        from offset: UInt64, atMost maximum: Int, _ whenReady: @escaping @Sendable () -> Void
    ) -> ReadAhead.Step {
        if chunkLength == 0 { chunkLength = max(1, min(maximum, OutgoingFile.maximumChunk)) }
        if isHeadTaken { releaseHead() }
        if offset != position { move(to: offset) }
        if filled > 0 {
            isHeadTaken = true
            position += UInt64(slots[head].count)
            return .chunk(slots[head])
        }
        if let failure { return .failed(failure) }
        if self.offset == length { return .chunk([]) }
        self.whenReady = whenReady
        return .notReady
    }

    /// What was read is of no use.
    private mutating func move(to offset: UInt64) {
        (position, self.offset) = (offset, offset)
        filled = 0
        moves += 1
    }

    private mutating func releaseHead() {
        isHeadTaken = false
        head = (head + 1) % slots.count
        filled -= 1
    }

    /// Returns whether to start a thread. A thread reads until the ring is full, and the next one starts when half of
    /// it is free.
    mutating func beginReading() -> Bool {
        guard !isReading, canRead, filled <= slots.count / 2 else { return false }
        isReading = true
        return true
    }

    private var canRead: Bool { !isStopped && failure == nil && offset < length }

    /// Returns the next chunk to read, or nil if the thread should end.
    mutating func claim() -> ReadTask? {
        guard canRead, filled < slots.count else {
            isReading = false
            return nil
        }
        let slot = (head + filled) % slots.count
        let count = Int(min(UInt64(chunkLength), length - offset))
        // The array is taken out of the ring, so that nobody else holds it and it is filled in place.
        var bytes: [UInt8] = []
        swap(&bytes, &slots[slot])
        if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
        return ReadTask(moves: moves, slot: slot, offset: offset, bytes: bytes)
    }

    /// Puts a chunk that was read into the ring. Returns the function to call.
    mutating func complete(_ task: consuming ReadTask, _ failure: StorageError?) -> (@Sendable () -> Void)? {
        // After a move, the chunk that is wanted comes next.
        guard !isStopped, task.moves == moves else { return nil }
        if let failure {
            self.failure = failure
        } else {
            offset += UInt64(task.bytes.count)
            slots[task.slot] = task.bytes
            filled += 1
        }
        defer { whenReady = nil }
        return whenReady
    }

    mutating func stop() {
        isStopped = true
        slots = slots.map { _ in [] }
        filled = 0
        isHeadTaken = false
        whenReady = nil
    }
}
