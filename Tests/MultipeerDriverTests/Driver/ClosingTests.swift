import MultipeerCore
import MultipeerDriver
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite("Driver: closing the transport, SPEC §16", .endsIfItHangs)
struct ClosingTests {
    @Test("The closing peer ends its output, and closes after the answer; the remote peer closes after its answer")
    func goodOrder() throws {
        let pair = try DriverPair.opened()
        pair.anna.driver.close(at: pair.now)
        pair.anna.drain(at: pair.now)
        #expect(pair.anna.steps == [.endOutput])
        #expect(!pair.anna.isClosed)
        pair.run()
        #expect(pair.anna.steps == [.endOutput, .close])
        #expect(pair.ben.steps == [.closeAfterWrites])
        #expect(pair.anna.isClosed && pair.ben.isClosed)
        #expect(pair.anna.driver.deadline == nil && pair.ben.driver.deadline == nil)
    }

    @Test("A slow reader gets every byte that was written before the transport closes")
    func slowReader() async throws {
        let pair = try DriverPair.opened()
        let message = [UInt8](repeating: 5, count: 50_000)
        pair.ben.readLength = 0
        try await pair.anna.driver.sends.send(message)
        pair.anna.driver.close(at: pair.now)
        // The peer's own CLOSE crosses: the local peer has all it waits for while its last bytes are still in the
        // transport.
        pair.ben.driver.close(at: pair.now)
        pair.run()
        #expect(pair.anna.end == .finished(unsentMessages: 0))
        #expect(pair.anna.pipe.count > 50_000)
        #expect(pair.anna.steps == [.endOutput])
        pair.ben.readLength = 100
        pair.run()
        #expect(pair.ben.messages == [message])
        #expect(pair.ben.end == .finished(unsentMessages: 0))
        #expect(pair.anna.steps == [.endOutput, .close])
    }

    @Test("A transport without half-close closes when the link is finished and its bytes are sent")
    func noHalfClosure() throws {
        let pair = try DriverPair.opened()
        pair.anna.canEndOutput = false
        pair.ben.readLength = 0
        pair.anna.driver.close(at: pair.now)
        pair.ben.driver.close(at: pair.now)
        pair.run()
        #expect(pair.anna.steps == [.endOutput, .closeAfterWrites])
        #expect(!pair.anna.isClosed)
        pair.ben.readLength = .max
        pair.run()
        #expect(pair.anna.isClosed)
        #expect(pair.ben.end == .finished(unsentMessages: 0))
    }

    /// Where the last bytes of a link that is over can be stuck.
    enum Place: CaseIterable { case endingOutput, closing, link }

    @Test(
        "A peer that does not read holds the transport no longer than the closing deadline", arguments: Place.allCases)
    func lingering(place: Place) throws {
        let pair = try DriverPair.opened()
        pair.anna.takesEvents = true
        switch place {
        case .endingOutput: pair.anna.driver.close(at: pair.now)
        case .closing: pair.anna.canEndOutput = false
        case .link: pair.anna.capacity = 0
        }
        // The peer closes, and reads nothing more.
        pair.ben.readLength = 0
        pair.ben.driver.close(at: pair.now)
        pair.run()
        #expect(pair.anna.end == .finished(unsentMessages: 0))
        #expect(!pair.anna.isClosed)
        #expect(pair.anna.driver.deadline == pair.now.advanced(by: .seconds(5)))
        pair.advance(by: .milliseconds(4_999))
        #expect(!pair.anna.isClosed)
        pair.advance(by: .milliseconds(1))
        #expect(pair.anna.isClosed)
        #expect(pair.anna.steps.last == .close)
    }

    @Test("Silence ends the link at the handshake's deadline, and closes the transport")
    func handshakeDeadline() throws {
        let pair = try DriverPair()
        #expect(pair.ben.driver.deadline == pair.now.advanced(by: .seconds(10)))
        pair.ben.readLength = 0
        pair.advance(by: .milliseconds(9_999))
        #expect(pair.ben.driver.stage == .hello)
        pair.advance(by: .milliseconds(1))
        #expect(pair.ben.end == .failed(LinkFailure(stage: .hello, cause: .timedOut)))
        #expect(pair.ben.isClosed)
    }

    @Test("Bytes that waited for the transport are sent now: the closing deadline counts from then")
    func lateClose() async throws {
        let pair = try DriverPair.opened()
        pair.anna.capacity = 0
        try await pair.anna.driver.sends.send([1])
        pair.anna.driver.close(at: pair.now)
        pair.run()
        pair.advance(by: .milliseconds(4_000))
        pair.ben.readLength = 0
        pair.anna.capacity = .max
        pair.run()
        #expect(pair.anna.driver.stage == .closing)
        #expect(pair.anna.driver.deadline == pair.now.advanced(by: .seconds(5)))
    }

    @Test("An abort closes at once, and is truncation for both")
    func abort() async throws {
        let pair = try DriverPair.opened()
        pair.ben.readLength = 0
        try await pair.anna.driver.sends.send([1])
        pair.run()
        pair.anna.driver.abort(at: pair.now)
        pair.anna.drain(at: pair.now)
        #expect(pair.anna.steps == [.close])
        #expect(pair.anna.end == .failed(LinkFailure(stage: .open, cause: .truncated)))
    }

    @Test("A shutdown closes a session in good order, and notifies others that the program stops")
    func shutDown() async throws {
        let open = try DriverPair.opened()
        try await open.anna.driver.sends.send([1])
        open.anna.driver.shutDown(at: open.now)
        open.anna.driver.shutDown(at: open.now)
        open.run()
        #expect(open.ben.messages == [[1]])
        #expect(open.anna.end == .finished(unsentMessages: 0))

        let pair = try DriverPair()
        pair.anna.judges = false
        pair.run()
        #expect(pair.anna.driver.stage == .certificates)
        pair.anna.driver.shutDown(at: pair.now)
        pair.run()
        #expect(pair.ben.end == .failed(LinkFailure(stage: .certificates, cause: .peerClosed(.shuttingDown))))
    }

    @Test("After the transport has closed the app gets the remaining events, and then the end")
    func transportClosed() async throws {
        let pair = try DriverPair.opened()
        pair.ben.takesEvents = false
        try await pair.anna.driver.sends.send([1])
        pair.anna.drain(at: pair.now)
        _ = pair.ben.read(from: pair.anna, at: pair.now)
        pair.ben.driver.transportClosed(at: pair.now)
        let events = pair.ben.driver.events
        guard case .message([1]) = await events.next() else {
            Issue.record("no message")
            return
        }
        guard case .closed(.failed(let failure)) = await events.next() else {
            Issue.record("no end")
            return
        }
        #expect(failure.cause == .truncated)
        #expect(await events.next() == nil)
        await #expect(throws: SendFailure.notConnected) {
            try await pair.ben.driver.sends.send([2])
        }
    }
}
