import MultipeerCore
import MultipeerDriver
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite("Driver: writing and turns", .endsIfItHangs)
struct WritingTests {
    @Test("Messages arrive whole and in order, however little room a buffer has", arguments: [4_200, 16_384, 65_535])
    func smallBuffers(room: Int) async throws {
        let pair = try DriverPair.opened()
        (pair.anna.room, pair.ben.readLength) = (room, 1_000)
        let messages = [[], [UInt8](repeating: 1, count: 100_000), [2]]
        for message in messages { try await pair.anna.driver.sends.send(message) }
        pair.run()
        #expect(pair.ben.messages == messages)
        #expect(pair.anna.driver.status.queuedByteCount == 0)
    }

    @Test("A buffer with too little room ends the drain, and nothing is lost")
    func noRoom() async throws {
        let pair = try DriverPair.opened()
        try await pair.anna.driver.sends.send([1, 2, 3])
        pair.anna.room = 10
        pair.run()
        #expect(pair.ben.messages.isEmpty)
        #expect(pair.anna.driver.status.queuedByteCount == 3)
        pair.anna.room = RecordHeader.maximumRecordLength
        pair.run()
        #expect(pair.ben.messages == [[1, 2, 3]])
    }

    @Test("If a transport is not writable, waiting frames stay in the link, and reading continues (R15.2-1)")
    func notWritable() async throws {
        let pair = try DriverPair.opened()
        pair.anna.capacity = 0
        try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 1_000))
        try await pair.ben.driver.sends.send([7])
        pair.run()
        #expect(pair.anna.pipe.isEmpty)
        #expect(pair.anna.driver.status.queuedByteCount == 1_000)
        #expect(pair.anna.driver.wantsRead)
        #expect(pair.anna.messages == [[7]])
        pair.anna.capacity = .max
        pair.run()
        #expect(pair.ben.messages.map(\.count) == [1_000])
    }

    @Test("A long queue yields after 32 buffers")
    func turns() throws {
        let pair = try DriverPair.opened()
        // Buffers are small, so that the first credit fills more of them than a turn has.
        pair.anna.room = 5_000
        _ = try pair.anna.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
            try link.send([UInt8](repeating: 1, count: 250_000), at: now)
        }
        pair.anna.drain(at: pair.now, turns: 1)
        let first = pair.anna.pipe.count
        #expect(first > 32 * 4_900 && first <= 32 * 5_000)
        #expect(pair.anna.driver.needsTurn)
        // Until then the link writes nothing, whatever else happens.
        pair.anna.drain(at: pair.now, turns: 1)
        #expect(pair.anna.pipe.count == first)
        pair.anna.driver.beginTurn()
        pair.run()
        #expect(!pair.anna.driver.needsTurn)
        #expect(pair.ben.messages.map(\.count) == [250_000])
    }

    @Test("Senders that are always ready yield after 16 rounds")
    func rounds() async throws {
        let pair = try DriverPair.opened(anna: { $0.sends = Watermarks(low: 0, high: 1) })
        let sends = pair.anna.driver.sends
        try await sends.send([0])
        var senders: [Task<Void, any Error>] = []
        for number in 1...20 {
            senders.append(Task { try await sends.send([UInt8(number)]) })
            try await eventually { pair.anna.driver.status.suspendedSends == number }
        }
        pair.anna.drain(at: pair.now, turns: 1)
        #expect(pair.anna.driver.needsTurn)
        let suspended = pair.anna.driver.status.suspendedSends
        #expect(suspended > 0 && suspended < 20)
        pair.anna.driver.beginTurn()
        pair.run()
        for sender in senders { try await sender.outcome() }
        #expect(pair.ben.messages == (0...20).map { [UInt8($0)] })
    }
}
