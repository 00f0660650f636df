import MultipeerCore
import MultipeerCrypto
import MultipeerTestSupport
import MultipeerWire
import Synchronization
import Testing

@testable import MultipeerDriver

@Suite("Driver: files that continue after an interruption, SPEC §15.7", .endsIfItHangs)
struct BeginningTests {
    private static let tag = [UInt8](repeating: 9, count: 16)
    private static let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    private static func beginning(_ count: Int, of content: [UInt8] = content) throws -> HeldBeginning {
        let (hash, running) = (
            try Parties.crypto.bulkDigest.makeDigester(), try Parties.crypto.bulkDigest.makeDigester()
        )
        let bytes = Array(content.prefix(count))
        hash.update(bytes.span)
        running.update(bytes.span)
        return HeldBeginning(length: UInt64(count), digest: try hash.finish(), digester: running)
    }

    /// Bytes in memory. It hashes only when it is asked a second time.
    private final class Source: FileSource {
        private let state = Mutex<(offset: Int, asked: Int, stops: Int)>((0, 0, 0))

        var offset: Int { state.withLock { $0.offset } }
        var stops: Int { state.withLock { $0.stops } }

        func beginning(ofLength length: UInt64, whenReady: @escaping @Sendable () -> Void) -> FileBeginningStep {
            let asked = state.withLock { state in
                state.asked += 1
                state.offset = Int(length)
                return state.asked
            }
            guard asked > 1 else { return .notReady }
            guard let beginning = try? BeginningTests.beginning(Int(length)) else { return .failed(.sourceFailed) }
            return .hashed(beginning)
        }

        func next(from offset: UInt64, atMost maximum: Int, whenReady: @escaping @Sendable () -> Void) -> FileSourceStep
        {
            .chunk(
                state.withLock { state in
                    let chunk = Array(BeginningTests.content[Int(offset)...].prefix(maximum))
                    state.offset = Int(offset) + chunk.count
                    return chunk
                })
        }

        func stop() { state.withLock { $0.stops += 1 } }
    }

    private static func offer(_ pair: DriverPair, from source: any FileSource) throws -> FileID {
        let offer = OutgoingOffer(name: "f", size: UInt64(content.count), tag: tag)
        let file = try pair.anna.driver.offerFile(offer, from: source, at: pair.now)
        pair.run()
        return file
    }

    @Test("No held byte is sent again, and the whole has one hash")
    func resumed() throws {
        let pair = try DriverPair.opened()
        let source = Source()
        let file = try Self.offer(pair, from: source)
        pair.ben.driver.events.separate(file)
        let held = try Self.beginning(150_000)
        try pair.ben.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
            try link.acceptFile(file, holding: held, at: now)
        }
        pair.run()
        // The source was not ready; it is asked again when the driver is drained next.
        pair.anna.drain(at: pair.now)
        var received: [UInt8] = []
        var digest: Digest?
        var parts: [FilePart] = []
        repeat {
            pair.run()
            parts = pair.ben.driver.events.takeParts(of: file)
            for part in parts {
                switch part {
                case .bytes(let bytes): received += bytes
                case .complete(let hash): digest = hash
                default: break
                }
            }
        } while !parts.isEmpty
        #expect(received == Array(Self.content.dropFirst(150_000)))
        #expect(try digest == Self.beginning(Self.content.count).digest)
        #expect(source.offset == Self.content.count)
    }

    @Test("A foreign beginning ends the file, and no byte is sent (R15.3-10)")
    func differs() throws {
        let pair = try DriverPair.opened()
        let source = Source()
        let file = try Self.offer(pair, from: source)
        var other = Self.content
        other[0] ^= 1
        let held = try Self.beginning(150_000, of: other)
        try pair.ben.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
            try link.acceptFile(file, holding: held, at: now)
        }
        pair.run()
        pair.anna.drain(at: pair.now)
        pair.run()
        let ended = pair.anna.effects.contains { effect in
            if case .outgoingFile(.ended(file, .beginningDiffers, byPeer: false)) = effect { true } else { false }
        }
        #expect(ended && source.stops == 1 && source.offset == 150_000)
    }

    @Test("A file of which the peer takes nothing is cancelled alone, and a moving one is not (SPEC §15.3)")
    func stalled() throws {
        let pair = try DriverPair.opened(
            anna: { $0.stallTimeout = .seconds(20) },
            ben: { ($0.stallTimeout, $0.memoryPools) = (nil, MemoryPools(messages: 2_000_000, share: 0)) })
        let files = try (0..<2).map { _ in try Self.offer(pair, from: Source()) }
        for file in files {
            pair.ben.driver.events.separate(file)
            try pair.ben.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
                try link.acceptFile(file, at: now)
            }
        }
        pair.run()
        func isStalled(_ file: FileID) -> Bool {
            pair.anna.effects.contains { effect in
                if case .outgoingFile(.ended(file, .stalled, byPeer: false)) = effect { true } else { false }
            }
        }
        // Bytes that had room after the last chunk count once.
        for _ in 0..<4 {
            pair.advance(by: .seconds(10))
            _ = pair.ben.driver.events.takeParts(of: files[1])
            pair.run()
        }
        pair.advance(by: .seconds(1))
        #expect(isStalled(files[0]))
        #expect(!isStalled(files[1]))
        #expect(pair.anna.end == nil)
    }

    @Test(
        "A file of which the peer takes a few bytes now and then is cancelled when its time is over, not later (SPEC §15.3)"
    )
    func trickled() throws {
        let pair = try DriverPair.opened(
            anna: { $0.stallTimeout = .seconds(20) },
            ben: { ($0.stallTimeout, $0.memoryPools) = (nil, MemoryPools(messages: 2_000_000, share: 0)) })
        let file = try Self.offer(pair, from: Source())
        pair.ben.driver.events.separate(file)
        try pair.ben.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
            try link.acceptFile(file, at: now)
        }
        pair.run()
        func isStalled() -> Bool {
            pair.anna.effects.contains { effect in
                if case .outgoingFile(.ended(file, .stalled, byPeer: false)) = effect { true } else { false }
            }
        }
        // The app takes nothing; the window alone grows by a byte a second.
        for _ in 0..<19 {
            pair.advance(by: .seconds(1))
            try pair.ben.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
                link.releaseCredit(1, of: file, at: now)
            }
            pair.run()
        }
        #expect(!isStalled())
        pair.advance(by: .seconds(1))
        #expect(isStalled() && pair.anna.end == nil)
    }

    @Test("An app is asked about at most 32 withdrawn offers in a minute (SPEC §15.3)")
    func offers() throws {
        let pair = try DriverPair.opened()
        func offered() -> Int {
            pair.ben.effects.count { if case .incomingFile(.offered) = $0 { true } else { false } }
        }
        func offerAndTakeBack() throws {
            let file = try pair.anna.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
                try link.offerFile(name: "f", size: 1, at: now)
            }
            pair.run()
            try? pair.anna.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
                try link.cancelFile(file, at: now)
            }
            pair.run()
            pair.advance(by: .milliseconds(50))
        }
        for _ in 0..<40 { try offerAndTakeBack() }
        #expect(offered() == 32)
        pair.advance(by: .seconds(60))
        try offerAndTakeBack()
        #expect(offered() == 33)
    }

    @Test("Completed files do not count")
    func completedOffers() throws {
        let limit = OfferLimit()
        let now = Instant(nanoseconds: 5)
        let key = try IdentityKey(rawBytes: [UInt8](repeating: 1, count: 32))
        for _ in 0..<100 {
            #expect(limit.admits(key, at: now))
            limit.completed(key)
        }
    }
}
