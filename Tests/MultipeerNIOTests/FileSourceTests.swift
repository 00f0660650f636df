import MultipeerCore
import MultipeerDriver
import MultipeerNIO
import MultipeerTestSupport
import MultipeerWire
import Synchronization
import Testing

@Suite("Files from a source, SPEC §15.3", .endsIfItHangs)
struct FileSourceTests {
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    /// Sends a file from a source. Returns what the sender's app heard of it, and what the receiver's app got.
    private static func send(
        _ source: MemorySource, size: Int
    ) async throws -> (events: [OutgoingFileEvent], received: [[UInt8]]) {
        let service = try await Service()
        let (anna, ben) = try await service.openPair()
        async let received = {
            var app = ben
            return try await app.run().files
        }()
        _ = try await anna.link.offerFile(name: "f", size: UInt64(size), from: source)
        var events: [OutgoingFileEvent] = []
        for await case .outgoingFile(let event) in anna.link.events {
            events.append(event)
            if isLast(event) { break }
        }
        anna.link.close()
        let files = try await received
        await service.listener.shutdown()
        return (events, files)
    }

    private static func isLast(_ event: OutgoingFileEvent) -> Bool {
        switch event {
        case .delivered, .ended: true
        case .accepted, .renamed, .kept, .wanted, .beginningWanted: false
        }
    }

    @Test("The file arrives, and the app is not asked for bytes", arguments: [false, true])
    func whole(isSlow: Bool) async throws {
        let content = Self.bytes(1_000_000)
        let source = MemorySource(content, chunkLength: 40_000, isSlow: isSlow)
        let (events, received) = try await Self.send(source, size: content.count)
        #expect(received == [content])
        #expect(events.count == 2)
        guard case (.accepted, .delivered) = (events.first, events.last) else {
            Issue.record("\(events)")
            return
        }
        #expect(source.stops == 1)
    }

    @Test("A source that fails ends the file, and the link stays open", arguments: [false, true])
    func failing(isSlow: Bool) async throws {
        let source = MemorySource(Self.bytes(100_000), chunkLength: 40_000, isSlow: isSlow)
        let (events, received) = try await Self.send(source, size: 100_001)
        #expect(received.isEmpty)
        guard case .ended(_, .sourceFailed, byPeer: false) = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(source.stops == 1)
    }

    @Test("A chunk of a wrong length ends the file", arguments: [0, 65_281])
    func wrongLength(length: Int) async throws {
        let source = MemorySource(Self.bytes(100_000), chunkLength: length, isSlow: false)
        let (events, received) = try await Self.send(source, size: 100_000)
        #expect(received.isEmpty)
        guard case .ended(_, .sourceFailed, byPeer: false) = events.last else {
            Issue.record("\(events)")
            return
        }
    }

    @Test("A link that closes stops its source")
    func linkEnds() async throws {
        let service = try await Service()
        let (anna, ben) = try await service.openPair()
        let source = MemorySource(Self.bytes(10), chunkLength: 10, isSlow: false)
        _ = try await anna.link.offerFile(name: "f", size: 10, from: source)
        ben.link.abort()
        for await _ in anna.link.events {}
        #expect(source.stops == 1)
        await service.listener.shutdown()
    }
}

/// Bytes in memory, in chunks of one length.
private final class MemorySource: FileSource {
    private struct State {
        var hasBeenAsked = false
        var stops = 0
    }

    private let content: [UInt8]
    private let chunkLength: Int
    /// Whether it has each chunk only the second time that it is asked.
    private let isSlow: Bool
    private let state = Mutex(State())

    init(_ content: [UInt8], chunkLength: Int, isSlow: Bool) {
        self.content = content
        self.chunkLength = chunkLength
        self.isSlow = isSlow
    }

    var stops: Int { state.withLock { $0.stops } }

    func next(from offset: UInt64, atMost maximum: Int, whenReady: @escaping @Sendable () -> Void) -> FileSourceStep {
        let step: FileSourceStep = state.withLock { state in
            if isSlow, !state.hasBeenAsked {
                state.hasBeenAsked = true
                return .notReady
            }
            state.hasBeenAsked = false
            let offset = Int(offset)
            guard offset < content.count else { return .failed(.sourceFailed) }
            return .chunk(Array(content[offset..<min(offset + chunkLength, content.count)]))
        }
        if case .notReady = step { Task { whenReady() } }
        return step
    }

    func stop() { state.withLock { $0.stops += 1 } }
}
