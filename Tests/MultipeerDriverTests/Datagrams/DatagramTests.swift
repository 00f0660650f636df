import MultipeerCore
import MultipeerTestSupport
import Testing

@testable import MultipeerDriver

@Suite("Driver: datagrams beside the link, SPEC §26", .endsIfItHangs)
struct DatagramTests {
    /// A pair whose links take datagrams, and whose paths hold if both have a port.
    private static func pair(annasPort: UInt16? = 50_001, bensPort: UInt16? = 50_002) throws -> DriverPair {
        let pair = try DriverPair(configure: { $0.offersDatagrams = true })
        (pair.anna.datagramPort, pair.ben.datagramPort) = (annasPort, bensPort)
        pair.run()
        try #require(pair.anna.driver.stage == .open && pair.ben.driver.stage == .open)
        #expect(pair.anna.driver.datagrams.trySend([0]) == .overLink)
        pair.run()
        return pair
    }

    @Test("The first message asks for a path, and those after it go over that, both ways")
    func both() throws {
        let pair = try Self.pair()
        #expect(pair.anna.driver.status.hasDatagramPath && pair.ben.driver.status.hasDatagramPath)
        #expect(pair.anna.driver.datagrams.trySend([1]) == .sent && pair.ben.driver.datagrams.trySend([2]) == .sent)
        pair.run()
        #expect(pair.ben.datagrams == [[1]] && pair.anna.datagrams == [[2]])
        #expect(pair.ben.messages.isEmpty && pair.anna.messages.isEmpty)
    }

    @Test("Without a UDP port on one side, or where UDP does not pass, there is no path", arguments: 0..<3)
    func none(kind: Int) throws {
        let pair = try DriverPair(configure: { $0.offersDatagrams = true })
        pair.carriesDatagrams = kind != 2
        (pair.anna.datagramPort, pair.ben.datagramPort) = (kind == 0 ? nil : 50_001, kind == 1 ? nil : 50_002)
        pair.run()
        for round in 0..<20 {
            #expect(pair.anna.driver.datagrams.trySend([UInt8(round)]) == .overLink)
            pair.advance(by: .seconds(5))
        }
        #expect(!pair.anna.driver.status.hasDatagramPath && pair.anna.driver.stage == .open)
    }

    @Test(
        "A burst goes as far as the window and 64 more, and what has no room within 50 ms is dropped (R26.6-1, R26.7-3)"
    )
    func burst() throws {
        let pair = try Self.pair()
        let outcomes = (0..<100).map { pair.anna.driver.datagrams.trySend([UInt8($0)]) }
        #expect(outcomes.filter { $0 == .sent }.count == 74 && outcomes.last == .dropped)
        pair.run()
        #expect(pair.ben.datagrams.count == 10)
        // A report every 20 ms makes room, for 11 and 12 more until 50 ms are over, and one goes after 10, 30 and 50 ms.
        pair.advance(by: .milliseconds(200))
        #expect(pair.ben.datagrams == (0..<36).map { [UInt8($0)] })
        #expect(pair.anna.driver.datagrams.trySend([100]) == .sent)
        pair.run()
        #expect(pair.ben.datagrams.last == [100] && pair.ben.datagrams.count == 37)
    }

    @Test("What the app does not take is dropped from 64 KiB on, and there is room again once it takes it (R26.6-2)")
    func untaken() throws {
        let pair = try Self.pair()
        pair.ben.takesEvents = false
        for number in 0..<200 {
            #expect(pair.anna.driver.datagrams.trySend([UInt8](repeating: UInt8(number), count: 1_167)) == .sent)
            pair.advance(by: .milliseconds(25))
        }
        let most = 65_536 / (1_167 + 64)
        #expect(pair.ben.driver.wantsRead, "the link goes on")
        pair.ben.takeEvents(at: pair.now)
        #expect(pair.ben.datagrams.count == most)
        pair.ben.takesEvents = true
        pair.advance(by: .milliseconds(25))
        #expect(pair.anna.driver.datagrams.trySend([1]) == .sent)
        pair.run()
        #expect(pair.ben.datagrams.last == [1] && pair.ben.datagrams.count == most + 1)
    }

    @Test("With the link the path ends, and nothing goes any more (R26.4-5)")
    func closing() throws {
        let pair = try Self.pair()
        #expect(pair.anna.driver.datagrams.trySend([1]) == .sent)
        pair.anna.driver.close(at: pair.now)
        pair.run()
        #expect(pair.anna.end != nil && pair.ben.end != nil)
        #expect(pair.anna.driver.datagramTag == nil && pair.ben.driver.datagramTag == nil)
        #expect(!pair.anna.driver.status.hasDatagramPath && pair.anna.driver.datagrams.trySend([2]) == .overLink)
        pair.advance(by: .seconds(60))
        #expect(pair.anna.packets.isEmpty && pair.ben.packets.isEmpty && !pair.ben.datagrams.contains([2]))
    }

    @Test("A peer that does not list the feature is asked for nothing")
    func notListed() throws {
        let pair = try DriverPair.opened()
        #expect(pair.anna.driver.datagrams.trySend([1]) == .overLink)
        pair.run()
        #expect(!pair.anna.driver.wantsDatagramPort && pair.anna.driver.stage == .open && pair.anna.packets.isEmpty)
    }
}
