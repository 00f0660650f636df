import MultipeerCore
import MultipeerCrypto
import Synchronization
import Testing

@testable import MultipeerDriver

@Suite("Memory for long messages, SPEC §13.5", .timeLimit(.minutes(1)))
struct MemoryPoolsTests {
    @Test("Reservations are granted in their order, whole or not at all")
    func order() {
        let pools = MemoryPools(messages: 200)
        let granted = Mutex<[Int]>([])
        let tickets = [60, 50, 10].enumerated().map { index, count in
            pools.reserve(UInt64(count)) { granted.withLock { $0.append(index) } }
        }
        #expect(pools.takeGrant(tickets[0]) == 60 && pools.takeGrant(tickets[0]) == nil)
        // The last one would fit, and it is not its turn.
        #expect(pools.takeGrant(tickets[1]) == nil && pools.takeGrant(tickets[2]) == nil)
        #expect(pools.hasWaiters(beside: tickets[0]))
        pools.release(10, of: tickets[0])
        #expect(granted.withLock { $0 } == [1])
        #expect(pools.messageBytesInUse == 100)
        pools.release(50, of: tickets[0])
        #expect(granted.withLock { $0 } == [1, 2] && !pools.hasWaiters(beside: tickets[0]))
        pools.cancel(tickets[1])
        #expect(pools.takeGrant(tickets[2]) == 10 && pools.messageBytesInUse == 10)
    }

    @Test("Whoever gives up lets the next one in")
    func cancelled() {
        let pools = MemoryPools(messages: 200)
        let first = pools.reserve(100) {}
        let second = pools.reserve(80) {}
        let third = pools.reserve(20) {}
        pools.cancel(second)
        #expect(pools.takeGrant(third) == nil)
        pools.cancel(first)
        #expect(pools.takeGrant(third) == 20 && pools.messageBytesInUse == 20)
    }

    @Test("A short message does not wait for long ones")
    func halves() {
        let pools = MemoryPools(messages: 8_000_000)
        let long = pools.reserve(4_000_000) {}
        let waiting = pools.reserve(1_048_577) {}
        let short = pools.reserve(1_048_576) {}
        #expect(pools.takeGrant(long) == 4_000_000 && pools.takeGrant(waiting) == nil)
        #expect(pools.takeGrant(short) == 1_048_576)
        #expect(pools.hasWaiters(beside: long) && !pools.hasWaiters(beside: short))
    }

    @Test("A long message waits for memory that another link has, and then arrives; all of it comes back (R13.5-3)")
    func waiting() async throws {
        let pools = MemoryPools(messages: 2_000_000)
        let first = try DriverPair.opened(ben: { $0.memoryPools = pools })
        let second = try DriverPair.opened(ben: { $0.memoryPools = pools })
        (first.ben.takesEvents, second.ben.takesEvents) = (false, false)
        for pair in [first, second] { try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 900_000)) }
        first.run()
        second.run()
        #expect(pools.messageBytesInUse == 900_064 - 262_144)
        #expect(second.anna.driver.status.queuedByteCount == 900_000 - 262_080)
        // Nothing is free before the app of the first has taken its message.
        first.ben.takesEvents = true
        first.run()
        #expect(first.ben.messages.count == 1)
        second.ben.takesEvents = true
        second.run()
        #expect(second.ben.messages.count == 1 && pools.messageBytesInUse == 0)
    }

    @Test("A peer that does not use its memory loses its link if others wait, and only then (R13.5-5)")
    func stalled() async throws {
        for othersWait in [true, false] {
            let pools = MemoryPools(messages: 6_000_000)
            let first = try DriverPair.opened(
                anna: { $0.stallTimeout = nil }, ben: { ($0.memoryPools, $0.stallTimeout) = (pools, nil) })
            try await first.anna.driver.sends.send([UInt8](repeating: 1, count: 3_000_000))
            first.anna.drain(at: first.now)
            first.ben.readLength = 200_000
            _ = first.ben.read(from: first.anna, at: first.now)
            first.ben.drain(at: first.now)
            first.ben.readLength = 0
            let second = try DriverPair.opened(ben: { $0.memoryPools = pools })
            if othersWait {
                try await second.anna.driver.sends.send([UInt8](repeating: 1, count: 1_500_000))
                second.run()
                #expect(second.ben.messages.isEmpty)
            }
            first.advance(by: .milliseconds(59_999))
            #expect(first.ben.end == nil)
            first.advance(by: .milliseconds(1))
            let stalled = LinkEnd.failed(LinkFailure(stage: .open, cause: .limit(.messageStalled)))
            #expect(first.ben.end == (othersWait ? stalled : nil))
            second.run()
            #expect(second.ben.messages.count == (othersWait ? 1 : 0))
        }
    }

    @Test("The end of a link gives back what it held, and no message is announced that never fits")
    func end() async throws {
        let pools = MemoryPools(messages: 2_000_000)
        let pair = try DriverPair.opened(ben: { $0.memoryPools = pools })
        #expect(pair.anna.summary?.peerMaximumMessage == 1_000_000)
        pair.ben.takesEvents = false
        try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 1_000_000))
        pair.run()
        #expect(pools.messageBytesInUse > 0)
        pair.ben.driver.abort(at: pair.now)
        #expect(pools.messageBytesInUse == 0)
    }

    @Test("Streams and files of one peer in one session share what nobody else has (R13.5-4)")
    func share() throws {
        let pair = try DriverPair.opened()
        let (ben, anna) = (try #require(pair.anna.summary), try #require(pair.ben.summary))
        let pools = MemoryPools(messages: 1_000, share: 1_000)
        var links = (0..<3).map { _ in LinkMemory(pools: pools) }
        #expect(links[0].takeBulk(400) == 0)
        for (index, peer) in [ben.peer.key, ben.peer.key, anna.peer.key].enumerated() {
            links[index].sharer = MemoryPools.Sharer(peer: peer, session: ben.session)
        }
        #expect(links[0].takeBulk(400) == 400 && links[0].takeBulk(400) == 300)
        // A second link of the same peer has what the first leaves, and another peer has its own.
        #expect(links[1].takeBulk(900) == 150 && links[2].takeBulk(900) == 500)
        links[0].settleBulk(100)
        #expect(pools.bulkBytesInUse == 750)
        for index in 0..<3 { links[index].releaseAll() }
        #expect(pools.bulkBytesInUse == 0)
    }

    @Test("A file gets credit from the pool, and the pool has it back when the file has ended")
    func file() throws {
        let pools = MemoryPools(messages: 2_000_000, share: 400_000)
        let pair = try DriverPair.opened(ben: { $0.memoryPools = pools })
        let file = try pair.anna.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
            try link.offerFile(name: "a", size: 10_000_000, at: now)
        }
        pair.run()
        let offered = pair.ben.effects.lazy.compactMap { effect in
            if case .incomingFile(.offered(let offer)) = effect { offer.file } else { nil }
        }.first
        try pair.ben.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
            if let offered { try link.acceptFile(offered, at: now) }
        }
        pair.run()
        #expect(pools.bulkBytesInUse == 200_000)
        try pair.anna.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
            try link.cancelFile(file, at: now)
        }
        pair.run()
        #expect(pools.bulkBytesInUse == 0)
    }
}
