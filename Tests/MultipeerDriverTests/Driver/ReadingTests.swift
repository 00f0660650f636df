import MultipeerCore
import MultipeerDriver
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("Driver: credit and back pressure, SPEC §13.3, §13.5, §15.2", .endsIfItHangs)
struct ReadingTests {
    @Test(
        "An app that takes no messages stops the sender and not the link; when it takes them the link wakes once (R13.3-2)"
    )
    func messages() async throws {
        let pair = try DriverPair.opened()
        let wakes = Atomic<Int>(0)
        pair.ben.driver.setWake { wakes.add(1, ordering: .relaxed) }
        pair.ben.takesEvents = false
        for number in 0..<100 {
            try await pair.anna.driver.sends.send([UInt8](repeating: UInt8(number), count: 10_000))
            pair.anna.drain(at: pair.now)
        }
        pair.run()
        #expect(pair.ben.driver.wantsRead && pair.anna.pipe.isEmpty)
        // 26 messages of 10,064 fit into 262,144, and a 27th has begun.
        #expect(pair.ben.driver.status.undeliveredEventCost == 27 * 10_256)
        #expect(pair.anna.driver.status.queuedByteCount == 73 * 10_000)
        #expect(wakes.load(ordering: .relaxed) == 0)

        pair.ben.takeEvents(at: pair.now)
        #expect(wakes.load(ordering: .relaxed) == 1)
        pair.ben.takesEvents = true
        pair.run()
        #expect(pair.ben.messages.map(\.first) == (0..<100).map { UInt8($0) })
    }

    @Test("Empty messages are bounded too")
    func emptyMessages() async throws {
        let pair = try DriverPair.opened()
        pair.ben.takesEvents = false
        for _ in 0..<5_000 { try await pair.anna.driver.sends.send([]) }
        pair.run()
        #expect(pair.ben.driver.status.undeliveredEventCost == 4_096 * 256)
        pair.ben.takesEvents = true
        pair.run()
        #expect(pair.ben.messages.count == 5_000)
    }

    @Test("Traces that nobody takes stop the reading, until the app takes them")
    func traces() async throws {
        let pair = try DriverPair(
            configure: { $0.tracesRecords = true }, ben: { $0.events = Watermarks(low: 1_000, high: 20_000) })
        pair.run()
        try #require(pair.ben.driver.stage == .open && pair.ben.driver.wantsRead)
        pair.ben.takesEvents = false
        for number in 0..<100 {
            try await pair.anna.driver.sends.send([UInt8](repeating: UInt8(number), count: 1_000))
            pair.run()
        }
        #expect(!pair.ben.driver.wantsRead && pair.ben.driver.status.isReadingPaused && !pair.anna.pipe.isEmpty)

        pair.ben.takesEvents = true
        pair.run()
        #expect(pair.ben.driver.wantsRead && pair.anna.pipe.isEmpty)
        #expect(pair.ben.messages.map(\.first) == (0..<100).map { UInt8($0) })
    }

    @Test("Unwanted messages do not stop the sender")
    func discarded() async throws {
        let pair = try DriverPair.opened()
        pair.ben.takesEvents = false
        pair.ben.driver.events.discard()
        for _ in 0..<100 { try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 10_000)) }
        pair.run()
        #expect(pair.anna.pipe.isEmpty && pair.anna.driver.status.queuedByteCount == 0)
    }
}
