import MultipeerCore
import MultipeerDriver
import Synchronization
import Testing

@Suite("Driver: back pressure on reads, SPEC §15.2", .timeLimit(.minutes(1)))
struct ReadingTests {
    @Test("Reading stops while the app takes nothing, goes on when it has caught up, and the adapter is woken once")
    func pausedAndResumed() async throws {
        let pair = try DriverPair.opened(ben: { $0.events = Watermarks(low: 1_000, high: 3_000) })
        let wakes = Atomic<Int>(0)
        pair.ben.driver.setWake { wakes.add(1, ordering: .relaxed) }
        pair.ben.takesEvents = false
        pair.ben.readLength = 500
        for number in 0..<50 {
            try await pair.anna.driver.sends.send([UInt8](repeating: UInt8(number), count: 200))
            pair.anna.drain(at: pair.now)  // a record for each
        }
        pair.run()
        let status = pair.ben.driver.status
        #expect(status.isReadingPaused && !pair.ben.driver.wantsRead)
        // What one read brought beyond the mark: three messages at most.
        #expect(status.undeliveredEventCost >= 3_000 && status.undeliveredEventCost < 3_000 + 3 * 456)
        #expect(!pair.anna.pipe.isEmpty)
        #expect(wakes.load(ordering: .relaxed) == 0)

        pair.ben.takeEvents(at: pair.now)
        #expect(wakes.load(ordering: .relaxed) == 1)
        #expect(pair.ben.driver.wantsRead)
        pair.ben.takesEvents = true
        pair.run()
        #expect(pair.ben.messages.map(\.first) == (0..<50).map { UInt8($0) })
    }

    @Test("Empty messages count as well")
    func emptyMessages() async throws {
        let pair = try DriverPair.opened(ben: { $0.events = Watermarks(low: 0, high: 10 * 256) })
        (pair.ben.takesEvents, pair.ben.readLength) = (false, 100)
        for _ in 0..<1_000 { try await pair.anna.driver.sends.send([]) }
        pair.run()
        #expect(!pair.ben.driver.wantsRead)
        pair.ben.takesEvents = true
        pair.run()
        #expect(pair.ben.messages.count == 1_000)
    }

    @Test("Events that nobody will take do not stop reading")
    func discarded() async throws {
        let pair = try DriverPair.opened(ben: { $0.events = Watermarks(low: 0, high: 1) })
        pair.ben.takesEvents = false
        pair.ben.driver.events.discard()
        for _ in 0..<100 { try await pair.anna.driver.sends.send([1]) }
        pair.run()
        #expect(pair.ben.driver.wantsRead)
        #expect(pair.anna.pipe.isEmpty)
    }
}
