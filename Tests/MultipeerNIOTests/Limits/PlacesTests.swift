import MultipeerCrypto
import MultipeerTestSupport
import Testing

@testable import MultipeerNIO

@Suite("Places for links, SPEC §19", .endsIfItHangs)
struct PlacesTests {
    private static func places(_ adjust: (inout ListenerLimits) -> Void) -> Places {
        var limits = ListenerLimits()
        adjust(&limits)
        return Places(limits: limits)
    }

    private static func key(_ number: UInt8) throws -> IdentityKey {
        try #require(IdentityKey(String(repeating: "0", count: 62) + "\(number + 10)"))
    }

    private let addresses = (1...8).map { AddressKey("192.0.2.\($0)") }

    @Test("Half-open: the oldest of its address yields its place, then the oldest of the most crowded address")
    func halfOpen() {
        var places = Self.places {
            $0.halfOpen = 4
            $0.halfOpenPerAddress = 2
        }
        #expect(places.admit(from: addresses[0]) == .admitted(1, evicted: []))
        #expect(places.admit(from: addresses[1]) == .admitted(2, evicted: []))
        #expect(places.admit(from: addresses[1]) == .admitted(3, evicted: []))
        #expect(places.admit(from: addresses[1]) == .admitted(4, evicted: [2]))
        #expect(places.admit(from: addresses[2]) == .admitted(5, evicted: []))
        // Four places are taken. The first link is older, but its address has only that one.
        #expect(places.admit(from: addresses[3]) == .admitted(6, evicted: [3]))
        // Each address has one now.
        #expect(places.admit(from: addresses[4]) == .admitted(7, evicted: [1]))
        #expect(places.counts.halfOpen == 4 && places.counts.open == 4 && places.counts.evicted == 3)
    }

    @Test("Identified: an address and a peer hold their limits until a link is open")
    func unopened() throws {
        var places = Self.places {
            $0.unopened = 3
            $0.unopenedPerAddress = 2
            $0.unopenedPerIdentity = 2
        }
        for _ in 0..<6 { _ = places.admit(from: addresses[0]) }
        #expect(places.identify(1, as: try Self.key(1)).isEmpty)
        #expect(places.identify(2, as: try Self.key(2)).isEmpty)
        #expect(places.identify(3, as: try Self.key(3)) == [1])
        _ = places.open(2)
        #expect(places.identify(4, as: try Self.key(4)).isEmpty)
        _ = places.admit(from: addresses[1])
        #expect(places.identify(7, as: try Self.key(5)).isEmpty)
        _ = places.admit(from: addresses[2])
        #expect(places.identify(8, as: try Self.key(6)) == [3])
        #expect(places.counts.unopened == 3 && places.counts.halfOpen == 2)
        // The same peer, from other addresses.
        var one = Self.places { $0.unopenedPerIdentity = 2 }
        for address in addresses { _ = one.admit(from: address) }
        let evicted = try (1...8).flatMap { one.identify($0, as: try Self.key(9)) }
        #expect(evicted == [1, 2, 3, 4, 5, 6])
    }

    @Test("Recognized peers have reserved places, which strangers cannot take")
    func known() throws {
        var places = Self.places {
            $0.connections = 8
            $0.connectionsForKnownPeers = 2
            $0.unopened = 2
            $0.unopenedPerAddress = 2
        }
        _ = places.admit(from: addresses[0])
        #expect(places.identify(1, as: try Self.key(1)).isEmpty)
        #expect(places.recognize(1, isKnown: true).isEmpty)
        for number in UInt64(2)...7 {
            #expect(places.admit(from: addresses[0]) == .admitted(number, evicted: []))
            #expect(places.identify(number, as: try Self.key(UInt8(number))).isEmpty)
            #expect(places.recognize(number, isKnown: false).isEmpty)
            #expect(places.open(number).isEmpty)
        }
        // Six strangers are open, so a seventh is not served, and a second known peer is.
        #expect(places.admit(from: addresses[0]) == .admitted(8, evicted: []))
        #expect(places.identify(8, as: try Self.key(8)).isEmpty)
        #expect(places.recognize(8, isKnown: false) == [8])
        #expect(places.admit(from: addresses[0]) == .admitted(9, evicted: []))
        #expect(places.identify(9, as: try Self.key(9)).isEmpty)
        #expect(places.recognize(9, isKnown: true).isEmpty)
        #expect(places.open(9).isEmpty)
        // All places are taken, and nobody must give up one.
        #expect(places.admit(from: addresses[1]) == .noRoom)
        #expect(places.contains(1) && places.counts.known == 2)
        places.end(1)
        #expect(places.admit(from: addresses[1]) == .admitted(10, evicted: []))
    }

    @Test("If two strangers open and there is one place, the one that opens last yields")
    func lastStranger() throws {
        var places = Self.places {
            $0.connections = 4
            $0.connectionsForKnownPeers = 1
            $0.unopened = 4
            $0.unopenedPerAddress = 4
        }
        for number in UInt64(1)...4 {
            #expect(places.admit(from: addresses[0]) == .admitted(number, evicted: []))
            #expect(places.identify(number, as: try Self.key(UInt8(number))).isEmpty)
            #expect(places.recognize(number, isKnown: false).isEmpty)
        }
        for number in UInt64(1)...3 { #expect(places.open(number).isEmpty) }
        #expect(places.open(4) == [4])
    }

    @Test("When all places are taken, a link that is not open yields its place; an address has its own limit")
    func full() throws {
        var places = Self.places {
            $0.connections = 3
            $0.connectionsPerAddress = 2
        }
        #expect(places.admit(from: addresses[0]) == .admitted(1, evicted: []))
        #expect(places.identify(1, as: try Self.key(1)).isEmpty)
        #expect(places.open(1).isEmpty)
        #expect(places.admit(from: addresses[0]) == .admitted(2, evicted: []))
        #expect(places.admit(from: addresses[0]) == .admitted(3, evicted: [2]))
        #expect(places.admit(from: nil) == .admitted(4, evicted: []))
        #expect(places.admit(from: nil) == .admitted(5, evicted: [3]))
        for number in UInt64(4)...5 { _ = places.open(number) }
        #expect(places.admit(from: nil) == .noRoom)
        for number in UInt64(1)...5 { places.end(number) }
        #expect(places.counts.open == 0 && places.counts.halfOpen == 0 && places.counts.unopened == 0)
    }

    @Test("One end frees one place of an address, not all of them")
    func oneEnd() {
        var places = Self.places { $0.connectionsPerAddress = 3 }
        for number in UInt64(1)...3 {
            #expect(places.admit(from: addresses[0]) == .admitted(number, evicted: []))
            #expect(places.open(number).isEmpty)
        }
        #expect(places.admit(from: addresses[0]) == .noRoom)
        places.end(1)
        #expect(places.admit(from: addresses[0]) == .admitted(4, evicted: []))
        #expect(places.admit(from: addresses[0]) == .admitted(5, evicted: [4]))
    }

    @Test("A process with few descriptors has fewer places, and keeps a reserve")
    func descriptors() {
        var limits = ListenerLimits()
        #expect(limits.fitting(descriptors: nil) == limits)
        #expect(limits.fitting(descriptors: 20_000) == limits)
        #expect(limits.fitting(descriptors: 1_024).connections == 1_024 - 128 - 64)
        limits.descriptorsPerConnection = 2
        #expect(limits.fitting(descriptors: 1_024).connections == (1_024 - 128 - 64) / 2)
        let few = ListenerLimits().fitting(descriptors: 64)
        #expect(few.connections == 28 && few.refusals == 4)
    }
}
