import MultipeerCore
import MultipeerTestSupport
import Synchronization
import Testing

@testable import MultipeerDriver

@Suite("Driver: streams, SPEC §15.6", .endsIfItHangs)
struct StreamTests {
    /// What became of the calls of `write`.
    private final class Completions: Sendable {
        private let outcomes = Mutex<[RequestError?]>([])
        var all: [RequestError?] { outcomes.withLock { $0 } }
        func add(_ error: RequestError?) { outcomes.withLock { $0.append(error) } }
    }

    private static func opened(_ pair: DriverPair, credit: UInt64 = 32_768) throws -> StreamID {
        let stream = try pair.anna.driver.openStream(named: "backup", credit: credit, at: pair.now)
        pair.run()
        let isKnown = pair.ben.effects.contains { effect in
            if case .stream(.opened(stream, name: "backup")) = effect { true } else { false }
        }
        try #require(isKnown)
        return stream
    }

    @Test("Bytes arrive in order with their end, and not as events; a writer waits while much is queued")
    func whole() throws {
        let pair = try DriverPair.opened()
        let stream = try Self.opened(pair)
        let (completions, piece) = (Completions(), [UInt8](repeating: 7, count: 30_000))
        for _ in 0..<3 {
            pair.anna.driver.write(piece, to: stream, at: pair.now) { completions.add($0) }
        }
        // 60,000 bytes wait for the transport, and so the second writer and the third.
        #expect(completions.all.count == 1)
        pair.run()
        // 32,768 went out, and 57,232 wait for the remote app.
        #expect(completions.all.count == 1)
        var received = 0
        var ending: StreamEnding?
        while received < 90_000 {
            let parts = pair.ben.driver.events.takeParts(of: stream)
            try #require(!parts.isEmpty)
            for case .bytes(let bytes) in parts { received += bytes.count }
            pair.run()
        }
        #expect(completions.all == [nil, nil, nil] && received == 90_000)
        try pair.anna.driver.finishStream(stream, at: pair.now)
        pair.run()
        for case .ended(let how) in pair.ben.driver.events.takeParts(of: stream) { ending = how }
        #expect(ending == .complete)
        let hasEvents = pair.ben.effects.contains { effect in
            switch effect {
            case .stream(.data), .stream(.ended): true
            default: false
            }
        }
        #expect(!hasEvents)
    }

    @Test("A stream that nobody takes stops no other stream and no messages (R13.3-2)")
    func untaken() async throws {
        let pair = try DriverPair.opened()
        let (idle, busy) = (try Self.opened(pair), try pair.anna.driver.openStream(named: "b", at: pair.now))
        pair.anna.driver.write([UInt8](repeating: 1, count: 100_000), to: idle, at: pair.now) { _ in }
        pair.anna.driver.write([UInt8](repeating: 2, count: 100_000), to: busy, at: pair.now) { _ in }
        try await pair.anna.driver.sends.send([3])
        pair.run()
        var received = 0
        while received < 100_000 {
            let parts = pair.ben.driver.events.takeParts(of: busy)
            try #require(!parts.isEmpty)
            for case .bytes(let bytes) in parts { received += bytes.count }
            pair.run()
        }
        #expect(pair.ben.messages == [[3]] && pair.ben.driver.wantsRead)
        #expect(pair.anna.driver.status.stage == .open)
    }

    @Test("A stream with little credit continues as soon as the app takes anything")
    func littleCredit() throws {
        let pair = try DriverPair.opened()
        let wakes = Atomic<Int>(0)
        pair.anna.driver.setWake { wakes.add(1, ordering: .relaxed) }
        let stream = try Self.opened(pair, credit: 1_000)
        pair.ben.driver.write([UInt8](repeating: 1, count: 5_000), to: stream, at: pair.now) { _ in }
        pair.run()
        var received = 0
        for _ in 0..<20 where received < 5_000 {
            for case .bytes(let bytes) in pair.anna.driver.events.takeParts(of: stream) { received += bytes.count }
            // Too little was taken to wake the driver at once; it checks by itself (R13.5-2).
            pair.advance(by: .milliseconds(20))
        }
        #expect(received == 5_000)
        // An app that takes nothing costs no timer, and its next taking wakes the driver.
        let deadline = pair.anna.driver.deadline
        pair.advance(by: .milliseconds(100))
        #expect(pair.anna.driver.deadline == deadline || wakes.load(ordering: .relaxed) > 0)
    }

    @Test("A waiting writer is notified of the end: stopped, given up, or the link has closed", arguments: 0..<3)
    func writersEnd(how: Int) throws {
        let pair = try DriverPair.opened()
        let stream = try Self.opened(pair)
        let completions = Completions()
        pair.anna.driver.write([UInt8](repeating: 1, count: 100_000), to: stream, at: pair.now) { completions.add($0) }
        pair.run()
        #expect(completions.all.isEmpty)
        switch how {
        case 0: try pair.ben.driver.stopStream(stream, code: 2, at: pair.now)
        case 1: try pair.anna.driver.resetStream(stream, code: 2, at: pair.now)
        default: pair.anna.driver.abort(at: pair.now)
        }
        pair.run()
        #expect(completions.all.count == 1 && completions.all.first != .some(nil))
        // Untaken bytes of a stopped stream are dropped.
        if how == 0 { #expect(pair.ben.driver.events.takeParts(of: stream).isEmpty) }
    }

    @Test("A reset drops untaken bytes, and is reported as the end", arguments: [true, false])
    func reset(byPeer: Bool) throws {
        let pair = try DriverPair.opened()
        let stream = try Self.opened(pair)
        pair.anna.driver.write([UInt8](repeating: 1, count: 10_000), to: stream, at: pair.now) { _ in }
        pair.run()
        if byPeer {
            try pair.anna.driver.resetStream(stream, code: 77, at: pair.now)
        } else {
            pair.anna.driver.abort(at: pair.now)
        }
        pair.run()
        let parts = pair.ben.driver.events.takeParts(of: stream)
        #expect(parts == [.ended(byPeer ? .reset(77) : .linkEnded)])
    }

    @Test("A reader waits for bytes, and ends with the stream")
    func reading() async throws {
        let pair = try DriverPair.opened()
        let stream = try Self.opened(pair)
        let events = pair.ben.driver.events
        // It begins to wait before the first byte comes.
        let reader = Task {
            var parts: [StreamPart] = []
            while let part = await events.nextPart(of: stream) { parts.append(part) }
            return parts
        }
        let queue = try #require(events.streams.queue(of: stream))
        try await eventually { queue.state.withLock { !$0.waiters.isEmpty } }
        pair.anna.driver.write([1, 2, 3], to: stream, at: pair.now) { _ in }
        try pair.anna.driver.finishStream(stream, at: pair.now)
        pair.run()
        #expect(try await reader.outcome() == [.bytes([1, 2, 3]), .ended(.complete)])
        #expect(await events.nextPart(of: stream) == nil)
    }
}
