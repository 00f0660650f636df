import MultipeerCore
import MultipeerTestSupport
import NIOCore
import NIOEmbedded
import Testing

@testable import MultipeerNIO

@Suite("Rates and addresses", .endsIfItHangs)
struct AcceptRateTests {
    private static func at(_ milliseconds: UInt64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test("A bucket allows its burst at once, then its rate, and saves no more than its burst")
    func bucket() {
        var bucket = TokenBucket(rate: 10, burst: 3, now: Self.at(0))
        var waits = (0..<4).map { _ in bucket.take(at: Self.at(0)) }
        #expect(waits.prefix(3) == [nil, nil, nil])
        #expect(waits[3].map { $0 >= .milliseconds(100) && $0 < .milliseconds(101) } == true)
        waits = [bucket.take(at: Self.at(99)), bucket.take(at: Self.at(101)), bucket.take(at: Self.at(101))]
        #expect(waits.map { $0 == nil } == [false, true, false])
        waits = (0..<4).map { _ in bucket.take(at: Self.at(1_000_000)) }
        #expect(waits.map { $0 == nil } == [true, true, true, false])
        // A clock that goes back gives nothing.
        #expect(bucket.take(at: Self.at(0)) != nil)
    }

    @Test("Impossible rates are slow or unlimited, never a trap", arguments: [0, -1, .nan, .infinity, 1e300, 1e-300])
    func impossibleRates(rate: Double) {
        var bucket = TokenBucket(rate: rate, burst: 0, now: Self.at(0))
        #expect(bucket.take(at: Self.at(0)) == nil)
        let wait = bucket.take(at: Self.at(0))
        #expect(wait.map { $0 > .zero && $0 <= .seconds(3_601) } == true)
        #expect(bucket.take(at: Instant(nanoseconds: .max)) == nil)
    }

    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = Never
        var count = 0
        func read(context: ChannelHandlerContext) { count += 1 }
    }

    @Test("A server channel reads at the rate, on the loop's clock")
    func handler() throws {
        var limits = ListenerLimits()
        limits.acceptsPerSecond = 2
        limits.acceptBurst = 2
        let channel = EmbeddedChannel()
        let reads = Reads()
        try channel.pipeline.syncOperations.addHandlers([
            reads, AcceptRateHandler(limits: limits, now: channel.eventLoop.now),
        ])
        var counts: [Int] = []
        for _ in 0..<5 { channel.read() }
        counts.append(reads.count)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(499))
        counts.append(reads.count)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(2))
        counts.append(reads.count)
        // Many reads that wait are one.
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        counts.append(reads.count)
        #expect(counts == [2, 2, 3, 3])
        _ = try channel.finish()
    }

    @Test("IPv4 counts by address, mapped or not; IPv6 by /64; Unix sockets not at all")
    func addresses() throws {
        let key = { (text: String) in AddressKey(text) }
        #expect(key("192.0.2.1") == key("::ffff:192.0.2.1"))
        #expect(key("192.0.2.1") != key("192.0.2.2"))
        #expect(key("::ffff:192.0.2.1") != key("::ffff:192.0.2.2"))
        #expect(key("2001:db8:0:1::1") == key("2001:db8:0:1:ffff::2"))
        #expect(key("2001:db8:0:1::1") != key("2001:db8:0:2::1"))
        #expect(key("fe80::1%lo") == key("fe80::2%eth0"))
        #expect(key("not an address") == nil)
        #expect(AddressKey(try SocketAddress(unixDomainSocketPath: "/s")) == nil)
        #expect(AddressKey(nil) == nil)
    }
}
