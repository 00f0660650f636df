import Foundation
import MultipeerTestSupport
import Testing

@testable import MultipeerStorage

@Suite("Reading ahead, SPEC §15.3", .endsIfItHangs)
struct ReadAheadTests {
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }

    /// The next chunk, as soon as it is there.
    private func next(
        _ reader: ReadAhead, from offset: Int, atMost maximum: Int
    ) async throws(StorageError) -> [UInt8] {
        while true {
            let (woken, wake) = AsyncStream.makeStream(of: Void.self)
            switch reader.next(from: UInt64(offset), atMost: maximum, whenReady: { wake.finish() }) {
            case .chunk(let bytes): return bytes
            case .failed(let error): throw error
            case .notReady: for await _ in woken {}
            }
        }
    }

    @Test("Chunks join to form the file, at every length", arguments: [1_000, 65_280, 99_999, 300_000, 400_000])
    func chunks(length: Int) async throws {
        let scratch = try Scratch()
        let file = try await OutgoingFile.open(scratch.write("data", Self.content))
        let reader = ReadAhead(file)
        var read: [UInt8] = []
        while read.count < Self.content.count {
            let chunk = try await next(reader, from: read.count, atMost: length)
            #expect(chunk.count == min(length, Self.content.count - read.count))
            read += chunk
        }
        #expect(read == Self.content)
        #expect(try await next(reader, from: read.count, atMost: length) == [])
        #expect(reader.failure == nil)
    }

    @Test("A chunk that is still in use is not overwritten")
    func keptChunks() async throws {
        let scratch = try Scratch()
        let reader = ReadAhead(try await OutgoingFile.open(scratch.write("data", Self.content)))
        var kept: [[UInt8]] = []
        while kept.count < 300 { kept.append(try await next(reader, from: kept.count * 1_000, atMost: 1_000)) }
        #expect(kept.flatMap { $0 } == Self.content)
    }

    @Test("A reader goes wherever it is sent, back and forth, also while a thread is reading")
    func elsewhere() async throws {
        let scratch = try Scratch()
        let reader = ReadAhead(try await OutgoingFile.open(scratch.write("data", Self.content)))
        for offset in [0, 1_000, 150_000, 0, 299_500, 299_000, 70_001, 71_001, 5] {
            let expected = Array(Self.content[offset...].prefix(1_000))
            #expect(try await next(reader, from: offset, atMost: 1_000) == expected)
        }
        #expect(try await next(reader, from: 300_000, atMost: 1_000) == [])
    }

    @Test("A chunk that was being read when the sender went elsewhere is dropped, and wakes nobody")
    func droppedChunk() throws {
        var state = ReadAheadState(length: 10_000)
        guard case .notReady = state.take(from: 0, atMost: 1_000, {}) else {
            Issue.record("nothing has been read")
            return
        }
        let isReading = state.beginReading()
        let first = state.claim()
        let old = try #require(first)
        #expect(isReading && old.offset == 0)
        guard case .notReady = state.take(from: 5_000, atMost: 1_000, {}) else {
            Issue.record("nothing of that has been read")
            return
        }
        let wakesForOld = state.complete(old, nil) != nil
        #expect(!wakesForOld && state.filled == 0)
        let second = state.claim()
        let new = try #require(second)
        #expect(new.offset == 5_000)
        let wakesForNew = state.complete(new, nil) != nil
        #expect(wakesForNew && state.filled == 1)
    }

    @Test("An empty file has no chunk")
    func empty() async throws {
        let scratch = try Scratch()
        let reader = ReadAhead(try await OutgoingFile.open(scratch.write("data", "")))
        #expect(try await next(reader, from: 0, atMost: 10) == [])
    }

    @Test("A limited number of chunks is in memory")
    func bound() async throws {
        let scratch = try Scratch()
        let reader = ReadAhead(try await OutgoingFile.open(scratch.write("data", Self.content)))
        for chunk in 0..<100 {
            _ = try await next(reader, from: chunk * 1_000, atMost: 1_000)
            while reader.isReading { await Task.yield() }
            #expect(reader.chunkCount > ReadAhead.depth / 2 && reader.chunkCount <= ReadAhead.depth)
        }
        reader.stop()
        #expect(reader.chunkCount == 0)
    }

    @Test("A file that changes is detected, and earlier bytes are still returned")
    func changes() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("data", Self.content)
        // The clock of mtime has a coarse tick; a date in the past shows every change.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: path)
        let reader = ReadAhead(try await OutgoingFile.open(path))
        #expect(try await next(reader, from: 0, atMost: 1_000) == Array(Self.content.prefix(1_000)))
        while reader.isReading { await Task.yield() }
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 1_000)
        try handle.close()
        let changed = StorageError(.read, path, .changedWhileReading)
        var count = 1
        let error = await asyncStorageError {
            while true {
                _ = try await next(reader, from: count * 1_000, atMost: 1_000)
                count += 1
            }
        }
        #expect(error == changed && reader.failure == changed)
        #expect(count == ReadAhead.depth)
    }
}
