import MultipeerCore
import MultipeerTestSupport
import Synchronization
import Testing

@testable import MultipeerTransfers

/// A clock that a test moves.
private final class ManualClock: Sendable {
    private let time = Mutex(Instant(nanoseconds: 1_000_000_000_000))

    var now: @Sendable () -> Instant { { [self] in time.withLock { $0 } } }

    func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}

@Suite("Progress of files")
struct ProgressTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)

    private static func at(_ seconds: Double) -> Instant { start.advanced(by: .seconds(seconds)) }

    @Test("The rate is that of the last seconds, and not since the beginning")
    func window() {
        var meter = RateMeter(startingAt: Self.start)
        // 1,000 bytes a second for 20 s, then 10 times as many.
        for tick in 1...200 { meter.add(100, at: Self.at(Double(tick) / 10)) }
        #expect(abs((meter.rate(at: Self.at(20)) ?? 0) - 1_000) < 30)
        for tick in 201...250 { meter.add(1_000, at: Self.at(Double(tick) / 10)) }
        #expect(abs((meter.rate(at: Self.at(25)) ?? 0) - 10_000) < 300)
    }

    @Test("Nothing is shown at first, and the rate of a stalled file falls to zero")
    func edges() {
        var meter = RateMeter(startingAt: Self.start)
        meter.add(1_000_000, at: Self.at(0.01))
        #expect(meter.rate(at: Self.at(0.4)) == nil)
        #expect(meter.rate(at: Self.at(1)) == 1_000_000)
        #expect(meter.rate(at: Self.at(4)) == 250_000)
        #expect(meter.rate(at: Self.at(60)) == 0)
        // A burst after a pause counts for the whole window.
        meter.add(5_000, at: Self.at(60))
        #expect(meter.rate(at: Self.at(60)) == 1_000)
    }

    @Test("Many small pieces need little memory, and change nothing")
    func pieces() {
        var (fine, coarse) = (RateMeter(startingAt: Self.start), RateMeter(startingAt: Self.start))
        for millisecond in 1...10_000 {
            fine.add(10, at: Self.at(Double(millisecond) / 1_000))
            if millisecond % 500 == 0 { coarse.add(5_000, at: Self.at(Double(millisecond) / 1_000)) }
        }
        #expect(abs((fine.rate(at: Self.at(10)) ?? 0) - 10_000) < 300)
        #expect(abs((coarse.rate(at: Self.at(10)) ?? 0) - 10_000) < 300)
        #expect(fine.sampleCount <= 60)
    }

    @Test("Held bytes do not count for the rate, but for the completed part")
    func resumed() {
        let clock = ManualClock()
        let meter = ProgressMeter(.incoming, "a", 1_000_000, clock.now)
        meter.begin(at: 500_000)
        meter.begin(at: 0)
        var last: TransferProgress?
        for step in 1...10 {
            clock.advance(by: .milliseconds(200))
            last = meter.advance(to: 500_000 + UInt64(step) * 20_000, by: 20_000) ?? last
        }
        #expect(last?.transferred == 700_000 && last?.resumedAt == 500_000 && last?.percent == 70)
        #expect(last?.bytesPerSecond == 100_000)
        #expect(last?.timeLeft == .seconds(3))
        #expect(last?.direction == .incoming && last?.name == "a" && last?.size == 1_000_000)
    }

    @Test("Progress is reported once a per cent, and twice a second where a per cent takes long")
    func often() {
        let clock = ManualClock()
        let fast = ProgressMeter(.outgoing, "a", 1_000_000, clock.now)
        fast.begin(at: 0)
        #expect((1...1_000).compactMap { fast.advance(to: $0 * 1_000, by: 1_000) }.count == 101)
        let slow = ProgressMeter(.outgoing, "a", 1_000_000_000_000, clock.now)
        slow.begin(at: 0)
        let told = (1...1_000 as ClosedRange<UInt64>).compactMap { step in
            clock.advance(by: .milliseconds(10))
            return slow.advance(to: step * 1_000, by: 1_000)
        }
        #expect(told.count == 20)
        #expect(ProgressMeter(.outgoing, "a", 1, clock.now).advance(to: 1, by: 1) == nil)
    }

    @Test("Bytes that are sent again count for the rate, and the completed part goes back")
    func sentAgain() throws {
        let clock = ManualClock()
        let meter = ProgressMeter(.outgoing, "a", 1_000_000, clock.now)
        meter.begin(at: 0)
        _ = meter.advance(to: 800_000, by: 800_000)
        clock.advance(by: .seconds(1))
        let again = try #require(meter.advance(to: 700_000, by: 100_000))
        #expect(again.transferred == 700_000 && again.percent == 70)
    }

    @Test("Progress at its limits")
    func numbers() {
        let empty = TransferProgress(direction: .outgoing, name: "", transferred: 0, size: 0)
        #expect(empty.percent == 100 && empty.fraction == 1 && empty.timeLeft == nil)
        var still = TransferProgress(direction: .outgoing, name: "", transferred: 5, size: 10, bytesPerSecond: 0)
        #expect(still.timeLeft == nil && still.percent == 50)
        still = TransferProgress(direction: .outgoing, name: "", transferred: 0, size: .max, bytesPerSecond: 1e-9)
        #expect(still.timeLeft == .seconds(3_155_760_000))
    }
}
