import MultipeerCore
import MultipeerCrypto
import MultipeerTestSupport
import Synchronization
import Testing

@testable import MultipeerDriver

@Suite("Memory for long messages, SPEC §13.5", .endsIfItHangs)
struct MemoryPoolsTests {
    /// A pool, and what its links have of it.
    private struct Lending {
        static let mebibyte = MessagePool.instalment
        var pool: MessagePool
        let session: SessionID
        let keys: [IdentityKey]
        var held: [MessagePool.Borrower: UInt64] = [:]
        var lacking: [MessagePool.Borrower: UInt64] = [:]

        init(mebibytes: UInt64) throws {
            let pair = try DriverPair.opened()
            let (ben, anna) = (try #require(pair.anna.summary), try #require(pair.ben.summary))
            (session, keys) = (ben.session, [ben.peer.key, anna.peer.key])
            pool = MessagePool(bytes: mebibytes * Self.mebibyte)
        }

        /// A message of a link lacks something, in MiB.
        mutating func begin(_ borrower: MessagePool.Borrower, lacking count: UInt64, branch: Int = 0) {
            lacking[borrower] = count * Self.mebibyte
            want(borrower, branch)
        }

        mutating func want(_ borrower: MessagePool.Borrower, _ branch: Int = 0) {
            let group = MemoryPools.Sharer(peer: keys[branch], session: session)
            pool.want(lacking[borrower] ?? 0, for: borrower, of: group) {}
            lend()
        }

        mutating func lend() {
            _ = pool.lend()
            for borrower in lacking.keys {
                guard let count = pool.takeGrant(of: borrower) else { continue }
                held[borrower, default: 0] += count
                lacking[borrower, default: 0] -= count
            }
        }

        /// The app has taken the message.
        mutating func end(_ borrower: MessagePool.Borrower) {
            pool.release(held.removeValue(forKey: borrower) ?? 0, of: borrower)
            lend()
        }

        /// In MiB.
        func has(_ borrower: MessagePool.Borrower) -> UInt64 { (held[borrower] ?? 0) / Self.mebibyte }
    }

    @Test("A message that has begun and stalled holds one instalment, and locks nobody out")
    func instalments() throws {
        var lending = try Lending(mebibytes: 32)
        for stranger in 1...2 as ClosedRange<UInt64> { lending.begin(stranger, lacking: 16) }
        lending.begin(3, lacking: 3, branch: 1)
        for _ in 0..<2 { lending.want(3, 1) }
        #expect(lending.has(1) == 1 && lending.has(2) == 1 && lending.has(3) == 3)
        #expect(lending.pool.free == 27 * MessagePool.instalment)
        lending.end(3)
        #expect(lending.pool.free == 30 * MessagePool.instalment && lending.lacking[3] == 0)
    }

    @Test("Messages never hold parts of each other's needs: one can always be completed")
    func noDeadlock() throws {
        var lending = try Lending(mebibytes: 16)
        for link in 1...4 as ClosedRange<UInt64> { lending.begin(link, lacking: 12) }
        // Each wants its next instalment whenever it has used one, for as long as somebody gets one.
        for _ in 0..<20 {
            for link in 1...4 as ClosedRange<UInt64> where lending.lacking[link] != 0 { lending.want(link) }
        }
        let served = (1...4).filter { lending.lacking[$0] == 0 }
        #expect(served.count == 1)
        var ended = 0
        while let link = (1...4 as ClosedRange<UInt64>).first(where: {
            lending.lacking[$0] == 0 && lending.held[$0] != nil
        }) {
            lending.end(link)
            ended += 1
            for _ in 0..<20 {
                for link in 1...4 as ClosedRange<UInt64> where lending.lacking[link] != 0 { lending.want(link) }
            }
        }
        #expect(ended == 4 && lending.pool.free == 16 * MessagePool.instalment)
    }

    @Test("A message that completes early returns its unused claim, and a waiting link is notified")
    func settled() throws {
        var lending = try Lending(mebibytes: 16)
        lending.begin(1, lacking: 12)
        lending.pool.settle(1)
        lending.begin(2, lacking: 15)
        for _ in 0..<14 { lending.want(2) }
        #expect(lending.has(1) == 1 && lending.has(2) == 15)
        // It waits for the second instalment when its message is whole.
        lending.end(1)
        lending.begin(3, lacking: 12)
        for _ in 0..<3 { lending.want(3) }
        lending.pool.settle(3)
        lending.lend()
        #expect(lending.has(3) <= 1 && !lending.pool.hasWaiters(beside: 1))
    }

    @Test("Branches take turns: links of one wait for each other, and another branch is next")
    func turns() throws {
        var lending = try Lending(mebibytes: 2)
        lending.begin(1, lacking: 1)
        lending.begin(2, lacking: 1)
        for link in 3...9 as ClosedRange<UInt64> { lending.begin(link, lacking: 1) }
        lending.begin(10, lacking: 1, branch: 1)
        lending.end(1)
        lending.end(2)
        #expect(lending.has(3) == 1 && lending.has(10) == 1 && lending.has(4) == 0)
        // One that is over lets the next one in.
        lending.pool.forget(3)
        lending.lend()
        #expect(lending.has(4) == 1)
    }

    @Test("A short message does not wait for long ones")
    func halves() throws {
        let pools = MemoryPools(messages: 4_194_304)
        let pair = try DriverPair.opened()
        let summary = try #require(pair.anna.summary)
        var links = (0..<4).map { _ in LinkMemory(pools: pools) }
        for index in links.indices {
            links[index].sharer = MemoryPools.Sharer(peer: summary.peer.key, session: summary.session)
        }
        for index in 0..<2 { links[index].reserve(2_000_000, of: nil) {} }
        links[2].reserve(1_048_577, of: nil) {}
        links[3].reserve(1_048_576, of: nil) {}
        let granted = links.indices.map { links[$0].takeGrant() }
        #expect(granted == [1_048_576, nil, nil, 1_048_576])
        #expect(links[0].hasWaiters && !links[3].hasWaiters)
        links[0].releaseAll()
        #expect(links[1].takeGrant() == 1_048_576 && pools.messageBytesInUse == 2_097_152)
    }

    @Test("A long message waits for another link's memory, and then arrives; all of it is returned (R13.5-3)")
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
                try await second.anna.driver.sends.send([UInt8](repeating: 1, count: 2_900_000))
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

    @Test("The end of a link returns its memory, and no message that never fits is announced")
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

    @Test("Streams and files of one peer in one session share the unused memory (R13.5-4)")
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

    @Test("A file gets credit from the pool, which has it back when the file has ended")
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
