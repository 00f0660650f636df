import Foundation
import MultipeerConnectivity
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("Rule 10: streams", .endsIfItHangs)
struct StreamRuleTests {
    /// Both ends of a stream from Anna to Ben.
    private static func ends(_ name: String = "a stream") async throws -> (
        anna: Device, ben: Device, output: OutputStream, input: InputStream
    ) {
        let (anna, ben) = try await Device.pair()
        let output = try anna.session.startStream(withName: name, toPeer: ben.id)
        output.open()
        #expect(await write([0x2A], output) == 1)
        try await eventually { !ben.told.streams.isEmpty }
        let received = try #require(ben.told.streams.first)
        #expect(received.name == name)
        return (anna, ben, output, received.stream)
    }

    /// Writes on a thread of its own: a stream may wait, and tasks must not.
    private static func write(_ bytes: [UInt8], _ output: OutputStream) async -> Int {
        nonisolated(unsafe) let output = output
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: output.write(bytes, maxLength: bytes.count)) }
        }
    }

    /// Reads to the end on a thread of its own, as apps without a run loop do.
    private static func readAll(_ input: InputStream) async -> [UInt8] {
        nonisolated(unsafe) let input = input
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                input.open()
                var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 10_000))
                while true {
                    let count = input.read(&buffer, maxLength: buffer.count)
                    guard count > 0 else { break }
                    all += buffer[..<count]
                }
                continuation.resume(returning: all)
            }
        }
    }

    /// Writes all, and closes.
    private static func writeAll(_ bytes: [UInt8], _ output: OutputStream) {
        nonisolated(unsafe) let output = output
        Thread.detachNewThread {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBufferPointer { output.write($0.baseAddress!, maxLength: $0.count) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
            output.close()
        }
    }

    @Test("Bytes arrive in order, and closing one end closes the other")
    func bytes() async throws {
        let (anna, ben, output, input) = try await Self.ends()
        let content = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 4) }
        Self.writeAll(content, output)
        #expect(await Self.readAll(input) == [0x2A] + content)
        #expect(input.streamStatus == .atEnd || input.streamStatus == .closed)
        #expect(input.streamError == nil)
        // A session that nobody keeps would end its streams.
        withExtendedLifetime((anna, ben)) {}
    }

    @Test(
        "Bytes from before a stream is opened are there when it is, and a reader that loops while bytes are available gets them"
    )
    func readAhead() async throws {
        let (anna, ben, output, input) = try await Self.ends()
        let content = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 4) }
        Self.writeAll(content, output)
        try await eventually { input.countOfBytesHere == 5_001 }
        #expect(!input.hasBytesAvailable && input.streamStatus == .notOpen)
        input.open()
        var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 999))
        while input.hasBytesAvailable {
            let count = input.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { break }
            all += buffer[..<count]
        }
        #expect(all == [0x2A] + content)
        withExtendedLifetime((anna, ben)) {}
    }

    @Test("An unopened stream accepts no more than its room, and a released one ends for its writer")
    func unopened() async throws {
        let (anna, ben) = try await Device.pair()
        var input: InputStream? = nil
        let output = try anna.session.startStream(withName: "unopened", toPeer: ben.id)
        output.open()
        nonisolated(unsafe) let writer = output
        let hasEnded = Mutex(false)
        Thread.detachNewThread {
            let block = [UInt8](repeating: 1, count: 65_536)
            while writer.write(block, maxLength: block.count) > 0 {}
            hasEnded.withLock { $0 = true }
        }
        try await eventually { !ben.told.streams.isEmpty }
        input = ben.told.streams.first?.stream
        try await eventually { (input?.countOfBytesHere ?? 0) >= 65_536 }
        // One piece of the link may be there beyond it.
        #expect(input?.countOfBytesHere ?? .max <= 2 * 65_536 && !hasEnded.withLock { $0 })
        input = nil
        ben.told.forgetStreams()
        try await eventually { hasEnded.withLock { $0 } }
        withExtendedLifetime((anna, ben)) {}
    }

    @Test("Both ends can be scheduled on a run loop, and notify their delegates")
    func runLoop() async throws {
        let (anna, ben, output, input) = try await Self.ends()
        let reader = StreamReader(input)
        reader.start()
        try await eventually { reader.bytes == [0x2A] }
        Self.writeAll(Array("hello".utf8), output)
        try await eventually { reader.hasEnded }
        #expect(reader.bytes == [0x2A] + Array("hello".utf8))
        #expect(reader.events.first == .openCompleted)
        withExtendedLifetime((anna, ben)) {}
    }

    @Test("A sending end notifies its delegate on a run loop when there is room, and only then")
    func writingOnRunLoop() async throws {
        let (anna, ben, output, input) = try await Self.ends()
        output.close()
        let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 11 >> 3) }
        let writer = StreamWriter(try anna.session.startStream(withName: "scheduled", toPeer: ben.id), content)
        writer.start()
        try await eventually { ben.told.streams.count == 2 }
        #expect(await Self.readAll(ben.told.streams[1].stream) == content)
        try await eventually { writer.isDone }
        #expect(writer.events.first == .openCompleted && writer.events.dropFirst().first == .hasSpaceAvailable)
        #expect(writer.events.count { $0 == .hasSpaceAvailable } > 10 && writer.refusals == 0)
        withExtendedLifetime(input) {}
    }

    @Test("A sending end notifies its delegate when the peer has left")
    func writerLosesPeer() async throws {
        let (anna, ben, output, input) = try await Self.ends()
        output.close()
        let writer = StreamWriter(
            try anna.session.startStream(withName: "lost", toPeer: ben.id), [UInt8](repeating: 7, count: 50_000_000))
        writer.start()
        try await eventually { ben.told.streams.count == 2 }
        ben.session.disconnect()
        try await eventually { writer.isDone }
        #expect(writer.events.last == .errorOccurred)
        withExtendedLifetime(input) {}
    }

    @Test("Bytes written to an end that nobody reads wait; closing the reader closes the writer")
    func closedByReader() async throws {
        let (anna, ben, output, input) = try await Self.ends()
        input.open()
        input.close()
        nonisolated(unsafe) let writer = output
        let hasEnded = Mutex(false)
        Thread.detachNewThread {
            let block = [UInt8](repeating: 1, count: 65_536)
            while writer.write(block, maxLength: block.count) > 0 {}
            hasEnded.withLock { $0 = true }
        }
        try await eventually { hasEnded.withLock { $0 } }
        try anna.send("after", to: ben)
        try await eventually { ben.told.texts(from: anna.id) == ["after"] }
        output.close()
    }

    @Test("An end that is closed twice, or never opened, is harmless")
    func careless() async throws {
        let (anna, ben, output, input) = try await Self.ends()
        input.close()
        input.close()
        output.close()
        output.close()
        _ = try anna.session.startStream(withName: "never opened", toPeer: ben.id)
        try anna.send("after", to: ben)
        try await eventually { ben.told.texts(from: anna.id) == ["after"] }
    }

    @Test("A peer that is not connected is an error, and so is a name that is too long")
    func errors() async throws {
        let (anna, ben) = try await Device.pair()
        let stranger = #expect(throws: MCError.self) {
            try anna.session.startStream(withName: "a", toPeer: MCPeerID(displayName: "Cleo"))
        }
        #expect(stranger?.code == .notConnected)
        let long = #expect(throws: MCError.self) {
            try anna.session.startStream(withName: String(repeating: "x", count: 256), toPeer: ben.id)
        }
        #expect(long?.code == .invalidParameter)
    }

    @Test("Disconnecting closes both ends")
    func disconnected() async throws {
        let (anna, ben, output, input) = try await Self.ends()
        async let all = Self.readAll(input)
        anna.session.disconnect()
        #expect(await all == [0x2A] || input.streamError != nil)
        nonisolated(unsafe) let writer = output
        let hasEnded = Mutex(false)
        Thread.detachNewThread {
            let block = [UInt8](repeating: 1, count: 65_536)
            while writer.write(block, maxLength: block.count) > 0 {}
            hasEnded.withLock { $0 = true }
        }
        try await eventually { hasEnded.withLock { $0 } }
        withExtendedLifetime(ben) {}
    }
}

/// Reads on a run loop of its own, by the delegate's method.
private final class StreamReader: NSObject, StreamDelegate, @unchecked Sendable {
    private let input: InputStream
    private let state = Mutex<(bytes: [UInt8], events: [Stream.Event], hasEnded: Bool)>(([], [], false))

    init(_ input: InputStream) { self.input = input }

    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var events: [Stream.Event] { state.withLock { $0.events } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func start() {
        Thread.detachNewThread { [self] in
            input.delegate = self
            input.schedule(in: .current, forMode: .default)
            input.open()
            while !hasEnded, RunLoop.current.run(mode: .default, before: .distantFuture) {}
        }
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        state.withLock { $0.events.append(event) }
        switch event {
        case .hasBytesAvailable:
            var buffer = [UInt8](repeating: 0, count: 3)
            let count = input.read(&buffer, maxLength: buffer.count)
            if count > 0 { state.withLock { $0.bytes += buffer[..<count] } }
        case .endEncountered, .errorOccurred:
            input.close()
            input.remove(from: .current, forMode: .default)
            state.withLock { $0.hasEnded = true }
        default: break
        }
    }
}

/// Writes on a run loop of its own whenever it hears that there is room, and closes after the last byte.
private final class StreamWriter: NSObject, StreamDelegate, @unchecked Sendable {
    private let output: OutputStream
    private let state: Mutex<State>

    private struct State {
        var rest: ArraySlice<UInt8>
        var events: [Stream.Event] = []
        /// How often there was no room although room was reported.
        var refusals = 0
        var isDone = false
    }

    init(_ output: OutputStream, _ bytes: [UInt8]) {
        self.output = output
        state = Mutex(State(rest: bytes[...]))
    }

    var events: [Stream.Event] { state.withLock { $0.events } }
    var refusals: Int { state.withLock { $0.refusals } }
    var isDone: Bool { state.withLock { $0.isDone } }

    func start() {
        Thread.detachNewThread { [self] in
            output.delegate = self
            output.schedule(in: .current, forMode: .default)
            output.open()
            while !isDone, RunLoop.current.run(mode: .default, before: .distantFuture) {}
        }
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        let rest = state.withLock { state in
            state.events.append(event)
            return state.rest
        }
        switch event {
        case .hasSpaceAvailable where !rest.isEmpty:
            let hadSpace = output.hasSpaceAvailable
            let count =
                hadSpace ? rest.withUnsafeBufferPointer { output.write($0.baseAddress!, maxLength: $0.count) } : 0
            state.withLock { state in
                state.rest = rest.dropFirst(max(count, 0))
                if count <= 0 { state.refusals += 1 }
            }
        case .hasSpaceAvailable, .errorOccurred:
            output.close()
            output.remove(from: .current, forMode: .default)
            state.withLock { $0.isDone = true }
        default: break
        }
    }
}
