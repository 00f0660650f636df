import MultipeerTestSupport
import Testing

@testable import MultipeerCore
@testable import MultipeerDriver

@Suite("Stalled links", .endsIfItHangs)
struct StallTests {
    private static func failure(_ limit: LocalLimit) -> LinkEnd {
        .failed(LinkFailure(stage: .open, cause: .limit(limit)))
    }

    private static func offerFile(_ pair: DriverPair) throws {
        _ = try pair.anna.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
            try link.offerFile(name: "a", size: 1_000, at: now)
        }
        pair.anna.drain(at: pair.now)
    }

    @Test("If a peer stops reading, a message fails after the time, and then the transport is closed")
    func message() async throws {
        let pair = try DriverPair.opened()
        pair.ben.readLength = 0
        pair.anna.capacity = 100_000
        try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 400_000))
        pair.run()
        pair.advance(by: .milliseconds(59_999))
        #expect(pair.anna.end == nil)
        pair.advance(by: .milliseconds(1))
        #expect(pair.anna.end == Self.failure(.sendingStalled))
        #expect(!pair.anna.isClosed)
        // CLOSE cannot leave either, and the closing deadline closes the transport all the same.
        pair.advance(by: .seconds(5))
        #expect(pair.anna.isClosed)
    }

    @Test(
        "A peer that acknowledges nothing is given up, once no more may be kept for it (R13.6-1, R13.9-2)",
        arguments: [false, true])
    func unacknowledged(acknowledges: Bool) throws {
        let pair = try DriverPair(anna: { $0.stallTimeout = .seconds(20) })
        for side in [pair.anna, pair.ben] {
            try side.driver.perform(at: pair.now) { (link, _) throws(RequestError) in link.attach(AssociationBook()) }
        }
        pair.run()
        try #require(pair.anna.driver.stage == .open)
        // Ben gets all, and what he says does not come.
        if !acknowledges { pair.anna.readLength = 0 }
        // More than is kept, and none of it needs more credit than there is at first.
        let stream = try pair.anna.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
            try link.openStream(named: "a", credit: 0, at: now)
        }
        for _ in 0..<4_200 {
            try pair.anna.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
                try link.write([1], to: stream, at: now)
            }
            pair.run()
        }
        pair.advance(by: .milliseconds(19_999))
        #expect(pair.anna.end == nil)
        pair.advance(by: .milliseconds(1))
        #expect(pair.anna.end == (acknowledges ? nil : Self.failure(.sendingStalled)))
    }

    @Test("The peer has unlimited time to answer an offer: it may hash held bytes, or ask a person (SPEC §15.3)")
    func file() throws {
        for answers in [false, true] {
            let pair = try DriverPair.opened(
                anna: { $0.stallTimeout = .seconds(20) }, ben: { $0.stallTimeout = nil })
            try Self.offerFile(pair)
            if answers {
                pair.advance(by: .seconds(19))
                pair.run()
                let file = try #require(
                    pair.ben.effects.lazy.compactMap { effect in
                        if case .incomingFile(.offered(let offer)) = effect { offer.file } else { nil }
                    }.first)
                try pair.ben.driver.perform(at: pair.now) { (link, now) throws(RequestError) in
                    try link.acceptFile(file, at: now)
                }
                pair.run()
                // Now the local app must supply bytes, and the peer has all the time.
                pair.advance(by: .seconds(3_000))
                #expect(pair.anna.end == nil)
            } else {
                pair.advance(by: .seconds(3_000))
                #expect(pair.anna.end == nil)
            }
        }
    }

    @Test("A peer that moves, however slowly, has time; without a limit it has unlimited time")
    func slow() async throws {
        for limit in [Duration.seconds(10), nil] {
            let pair = try DriverPair.opened(anna: { $0.stallTimeout = limit })
            pair.ben.readLength = 0
            pair.anna.capacity = 100_000
            try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 1_000_000))
            pair.run()
            guard limit != nil else {
                pair.advance(by: .seconds(100_000))
                #expect(pair.anna.end == nil)
                continue
            }
            for _ in 0..<8 {
                pair.advance(by: .seconds(9))
                pair.ben.readLength = 70_000
                _ = pair.ben.read(from: pair.anna, at: pair.now)
                pair.ben.readLength = 0
                pair.run()
            }
            #expect(pair.anna.end == nil)
        }
    }

    @Test(
        "A byte now and then is no progress, in either direction: it takes 16 KiB within the time, or all waiting bytes"
    )
    func trickle() {
        for sends in [false, true] {
            for (step, isEnough) in [(1, false), (1_600, false), (1_700, true)] as [(UInt64, Bool)] {
                var watch = ProgressWatch(patience: .seconds(10), countsCredit: true)
                var mark = PayloadProgress.Mark()
                var stalled: LocalLimit?
                for second in 0..<100 {
                    let now = Instant(nanoseconds: 1).advanced(by: .seconds(second))
                    mark.bytes += step
                    let progress = PayloadProgress(
                        isSending: false, hasUnsentMessages: sends, sent: mark, isReceiving: !sends, received: mark)
                    watch.note(progress, isBlocked: false, isPaused: false, at: now)
                    stalled = stalled ?? watch.stall(at: now)
                    if stalled != nil {
                        #expect(second == 10)
                        break
                    }
                }
                #expect(stalled == (isEnough ? nil : sends ? .sendingStalled : .receivingStalled))
            }
        }
    }

    @Test("A stalled peer that sends a little all the time does not hold a link that has failed")
    func chatter() async throws {
        let pair = try DriverPair.opened()
        pair.ben.readLength = 0
        pair.anna.capacity = 100_000
        try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 400_000))
        pair.run()
        for _ in 0..<60 {
            pair.advance(by: .seconds(1))
            try await pair.ben.driver.sends.send([2])
            pair.run()
        }
        #expect(pair.anna.end == Self.failure(.sendingStalled) && !pair.anna.isClosed)
        for _ in 0..<5 {
            pair.advance(by: .seconds(1))
            _ = try? await pair.ben.driver.sends.send([2])
            pair.run()
        }
        #expect(pair.anna.isClosed)
    }

    @Test("An app that takes no events is not the peer's fault")
    func pausedReader() async throws {
        let pair = try DriverPair.opened()
        pair.ben.takesEvents = false
        for _ in 0..<3 { try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 300_000)) }
        pair.ben.readLength = 350_000
        pair.run()
        // The peer has no more credit; the link is read all the same (R13.3-2).
        #expect(pair.ben.driver.wantsRead && pair.anna.pipe.isEmpty)
        #expect(pair.anna.driver.status.queuedByteCount == 600_000)
        pair.advance(by: .seconds(600))
        #expect(pair.ben.driver.stage == .open && pair.anna.driver.stage == .open)
        pair.ben.takesEvents = true
        pair.run()
        #expect(pair.ben.messages.count == 3)
    }

    @Test("A closing link whose peer reads nothing closes at the deadline, whatever waits")
    func closing() async throws {
        let pair = try DriverPair.opened()
        pair.ben.readLength = 0
        pair.anna.capacity = 1
        try await pair.anna.driver.sends.send([UInt8](repeating: 1, count: 400_000))
        pair.run()
        pair.anna.driver.close(at: pair.now)
        pair.run()
        #expect(pair.anna.driver.stage == .draining)
        // The queue makes no progress for five seconds; then CLOSE does.
        pair.advance(by: .milliseconds(9_999))
        #expect(!pair.anna.isClosed)
        pair.advance(by: .milliseconds(1))
        #expect(pair.anna.isClosed)
    }
}
