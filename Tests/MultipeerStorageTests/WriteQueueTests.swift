import Foundation
import MultipeerTestSupport
import Synchronization
import Testing

@testable import MultipeerStorage

@Suite("Write-behind, SPEC §15.3", .endsIfItHangs)
struct WriteQueueTests {
    private static func partial(in scratch: Scratch, length: Int) throws -> (PartialFile, WriteQueue) {
        let partial = try PartialFile(name: "a", in: scratch.path, expectedLength: UInt64(length))
        return (partial, WriteQueue(partial, name: "a", expectedLength: UInt64(length)))
    }

    @Test("The queue is bounded: a caller that appends more waits for the disk")
    func bound() async throws {
        let scratch = try Scratch()
        let chunk = [UInt8](repeating: 1, count: 65_536)
        let fitting = WriteQueue.limit / chunk.count
        let (partial, queue) = try Self.partial(in: scratch, length: 2 * WriteQueue.limit)
        let appended = Atomic(0)
        // Nothing can be written as long as the threads for it are at work here.
        let threads = BusyThreads()
        async let all: Void = {
            for _ in 0..<2 * fitting {
                try await queue.append(chunk)
                appended.add(1, ordering: .relaxed)
            }
        }()
        try await eventually { queue.hasWaiter }
        #expect(appended.load(ordering: .relaxed) == fitting - 1)
        threads.release()
        try await all
        try await queue.finish()
        _ = try partial.finish()
        #expect(try scratch.read("a").count == 2 * WriteQueue.limit)
    }

    @Test("Small chunks are bounded too")
    func smallChunks() async throws {
        let scratch = try Scratch()
        let fitting = WriteQueue.limit / (1 + WriteQueue.overhead)
        let (partial, queue) = try Self.partial(in: scratch, length: 2 * fitting)
        let appended = Atomic(0)
        let threads = BusyThreads()
        async let all: Void = {
            for _ in 0..<2 * fitting {
                try await queue.append([1])
                appended.add(1, ordering: .relaxed)
            }
        }()
        try await eventually { queue.hasWaiter }
        #expect(appended.load(ordering: .relaxed) == fitting)
        threads.release()
        try await all
        try await queue.finish()
        _ = try partial.finish()
        #expect(try scratch.read("a").count == 2 * fitting)
    }

    @Test("A write that fails later is reported at the end, and the file is discarded")
    func lateFailure() async throws {
        let scratch = try Scratch()
        let (partial, queue) = try Self.partial(in: scratch, length: 2)
        try await queue.append([1, 2])
        partial.end()
        #expect(await asyncStorageError { try await queue.finish() }?.reason == .cancelled)
        #expect(scratch.names.isEmpty)
    }

    @Test("A failed write ends the wait of a caller that appends")
    func failureWhileWaiting() async throws {
        let scratch = try Scratch()
        let (partial, queue) = try Self.partial(in: scratch, length: 4 * WriteQueue.limit)
        partial.end()
        let chunk = [UInt8](repeating: 1, count: WriteQueue.limit)
        let error = await asyncStorageError {
            for _ in 0..<4 { try await queue.append(chunk) }
        }
        #expect(error?.reason == .cancelled)
    }
}

/// Keeps all threads busy that may block, until it is asked to let them go.
private final class BusyThreads: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    /// More than the pool has.
    private static let count = 256

    init() {
        for _ in 0..<Self.count { BlockingWork.start { [gate] in gate.wait() } }
    }

    func release() {
        for _ in 0..<Self.count { gate.signal() }
    }
}
