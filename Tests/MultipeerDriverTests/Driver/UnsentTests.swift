import MultipeerCore
import MultipeerDriver
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite("Driver: no message is lost without a report, SPEC §16", .endsIfItHangs)
struct UnsentTests {
    @Test("A close takes earlier messages, and refuses later ones")
    func closeTakesMessages() async throws {
        let pair = try DriverPair.opened()
        let sends = pair.anna.driver.sends
        // Nothing drains between: the driver has not seen the messages when it is asked to close.
        try await sends.send([1])
        try await sends.send([2])
        pair.anna.driver.close(at: pair.now)
        await #expect(throws: SendFailure.notConnected) { try await sends.send([3]) }
        pair.run()
        #expect(pair.ben.messages == [[1], [2]])
        #expect(pair.anna.end == .finished(unsentMessages: 0))
        #expect(pair.ben.end == .finished(unsentMessages: 0))
    }

    @Test("A request is processed after earlier messages")
    func requestAfterMessages() async throws {
        let pair = try DriverPair.opened()
        try await pair.anna.driver.sends.send([1])
        _ = try pair.anna.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
            try link.send([2], at: now)
        }
        pair.run()
        #expect(pair.ben.messages == [[1], [2]])
    }

    @Test("Messages that the link has not seen when the peer closes are unsent, as are those that it had queued")
    func peerCloses() async throws {
        let pair = try DriverPair.opened()
        pair.anna.capacity = 0
        try await pair.anna.driver.sends.send([1])
        pair.run()
        #expect(pair.anna.driver.status.queuedByteCount == 1)
        try await pair.anna.driver.sends.send([2])
        try await pair.anna.driver.sends.send([3])
        pair.ben.driver.close(at: pair.now)
        pair.ben.drain(at: pair.now)
        // The peer's CLOSE comes before the driver looks for messages.
        let hasRead = pair.anna.read(from: pair.ben, at: pair.now)
        pair.anna.takeEvents(at: pair.now)
        #expect(hasRead)
        #expect(pair.anna.end == .finished(unsentMessages: 3))
        await #expect(throws: SendFailure.notConnected) {
            try await pair.anna.driver.sends.send([4])
        }
    }

    @Test("Closing with a code sends no waiting messages, and counts them")
    func closeWithCode() async throws {
        let pair = try DriverPair.opened()
        try await pair.anna.driver.sends.send([1])
        try await pair.anna.driver.sends.send([2])
        pair.anna.driver.close(.duplicateLink, at: pair.now)
        pair.run()
        #expect(pair.anna.end == .finished(unsentMessages: 2))
        #expect(pair.ben.messages.isEmpty)
    }

    @Test("A message that is accepted while a request closes the link is counted")
    func lateMessage() async throws {
        let pair = try DriverPair.opened()
        try pair.anna.driver.perform(at: pair.now) { (link, now) throws(RequestError) in link.close(at: now) }
        // The queue learns of the stage when the driver is drained.
        try await pair.anna.driver.sends.send([1])
        pair.run()
        #expect(pair.ben.messages.isEmpty)
        #expect(pair.anna.end == .finished(unsentMessages: 1))
    }

    @Test("A sender that is suspended when the link ends is refused, and not counted")
    func suspended() async throws {
        let pair = try DriverPair.opened(anna: { $0.sends = Watermarks(low: 0, high: 1) })
        pair.anna.capacity = 0
        let sends = pair.anna.driver.sends
        try await sends.send([1])
        let sender = Task { try await sends.send([2]) }
        try await eventually { pair.anna.driver.status.suspendedSends == 1 }
        pair.ben.driver.close(at: pair.now)
        pair.run()
        await #expect(throws: SendFailure.notConnected) { try await sender.outcome() }
        #expect(pair.anna.end == .finished(unsentMessages: 1))
    }
}
