import MultipeerCore
import MultipeerDriver
import MultipeerTestSupport
import Testing

@Suite("Driver: results of messages, R13.6-3", .endsIfItHangs)
struct MessageResultTests {
    @Test("A message is delivered when the peer acknowledges it, and not before")
    func delivered() async throws {
        let pair = try DriverPair.opened()
        let first = try await pair.anna.driver.sends.send([1])
        let second = try await pair.anna.driver.sends.send([2])
        pair.run()
        #expect(pair.ben.messages == [[1], [2]] && first.result == nil && second.result == nil)
        let waits = Task { try await second.outcome() }
        // The peer's ACK comes 20 ms after the first message that it has not acknowledged.
        pair.advance(by: .milliseconds(20))
        #expect(first.result == .delivered && second.result == .delivered)
        #expect(try await waits.value == .delivered)
        #expect(pair.anna.driver.sends.undelivered == UndeliveredMessages())
    }

    @Test("At the end of the link, sent messages are in doubt, waiting ones not sent, and acknowledged ones delivered")
    func endOfLink() async throws {
        let pair = try DriverPair.opened()
        let sends = pair.anna.driver.sends
        let delivered = try await sends.send([1])
        pair.run()
        pair.advance(by: .milliseconds(20))
        let sent = [try await sends.send([2]), try await sends.send([3])]
        pair.run()
        pair.anna.capacity = 0
        let waiting = try await sends.send([4])
        pair.run()
        // The link has not seen this one.
        let unseen = try await sends.send([5])
        let waits = [sent[1], waiting, unseen].map { message in Task { try await message.outcome() } }
        #expect(sends.undelivered == UndeliveredMessages())
        pair.anna.driver.abort(at: pair.now)
        #expect(delivered.result == .delivered)
        #expect(sent.map(\.result) == [.inDoubt, .inDoubt])
        #expect(waiting.result == .notSent && unseen.result == .notSent)
        #expect(try await waits[0].value == .inDoubt)
        #expect(try await waits[1].value == .notSent)
        #expect(try await waits[2].value == .notSent)
        #expect(sends.undelivered.inDoubt == 2 && sends.undelivered.notSent == 2)
    }

    @Test("An orderly close leaves nothing in doubt: the peer acknowledges before its CLOSE")
    func properEnd() async throws {
        let pair = try DriverPair.opened()
        let message = try await pair.anna.driver.sends.send([1])
        pair.anna.driver.close(at: pair.now)
        pair.run()
        #expect(pair.ben.messages == [[1]] && message.result == .delivered)
    }

    @Test("Messages that the adapter gives the link itself do not count for others")
    func ownMessages() async throws {
        let pair = try DriverPair.opened()
        func sendsItself(_ bytes: [UInt8]) throws {
            _ = try pair.anna.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
                try link.send(bytes, at: now)
            }
        }
        try sendsItself([1])
        let first = try await pair.anna.driver.sends.send([2])
        pair.run()
        pair.advance(by: .milliseconds(20))
        #expect(first.result == .delivered)
        try sendsItself([3])
        pair.run()
        let second = try await pair.anna.driver.sends.send([4])
        // The transport takes nothing: of those on the link, [3] is acknowledged alone.
        pair.anna.capacity = 0
        pair.advance(by: .milliseconds(20))
        #expect(pair.ben.messages == [[1], [2], [3]] && second.result == nil)
        pair.anna.capacity = .max
        pair.run()
        pair.advance(by: .milliseconds(20))
        #expect(second.result == .delivered)
    }

    @Test("A cancelled task stops waiting; the message and its other waiters are unaffected")
    func cancelled() async throws {
        let pair = try DriverPair.opened()
        let message = try await pair.anna.driver.sends.send([1])
        let cancelled = Task { try await message.outcome() }
        let patient = Task { try await message.outcome() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(message.result == nil)
        pair.run()
        pair.advance(by: .milliseconds(20))
        #expect(try await patient.value == .delivered)
    }
}
