import Testing

@testable import MultipeerNIO

@Suite("Places for connections, SPEC §19", .timeLimit(.minutes(1)))
struct ConnectionLimiterTests {
    private static func limiter(_ adjust: (inout ListenerLimits) -> Void) -> ConnectionLimiter {
        var limits = ListenerLimits()
        adjust(&limits)
        return ConnectionLimiter(limits: limits)
    }

    @Test("One release gives back one half-open place of an address, not all of them")
    func perAddress() {
        let limiter = Self.limiter { $0.halfOpenPerAddress = 3 }
        let (address, other) = (AddressKey("192.0.2.1"), AddressKey("192.0.2.2"))
        let first = (0..<4).map { _ in limiter.admit(from: address) }
        #expect(first == [.serve, .serve, .serve, .refuse])
        limiter.releaseHalfOpen(from: address)
        let second = (0..<2).map { _ in limiter.admit(from: address) }
        #expect(second == [.serve, .refuse])
        #expect(limiter.admit(from: other) == .serve)
        for _ in 0..<3 { limiter.releaseHalfOpen(from: address) }
        let third = (0..<4).map { _ in limiter.admit(from: address) }
        #expect(third == [.serve, .serve, .serve, .refuse])
    }

    @Test("A place is given back once, however often its link says that it is identified or over")
    func slot() {
        let limiter = Self.limiter { $0.halfOpen = 2 }
        let address = AddressKey("2001:db8::1")
        let slots = (0..<2).map { _ in
            ConnectionSlot(limiter: limiter, decision: limiter.admit(from: address), address: address)
        }
        #expect(limiter.counts.halfOpen == 2)
        slots[0].linkIdentified()
        slots[0].linkIdentified()
        #expect(limiter.counts.halfOpen == 1)
        #expect(limiter.counts.open == 2)
        slots[0].linkEnded()
        #expect(limiter.counts.halfOpen == 1)
        #expect(limiter.counts.open == 1)
        slots[1].linkEnded()
        #expect(limiter.counts.halfOpen == 0)
        #expect(limiter.counts.open == 0)
    }

    @Test("After the beginning of a shutdown everyone is dropped")
    func shutdown() {
        let limiter = Self.limiter { _ in }
        #expect(limiter.beginShutdown().isEmpty)
        #expect(limiter.admit(from: nil) == .drop)
        #expect(limiter.counts.dropped == 1)
    }
}
