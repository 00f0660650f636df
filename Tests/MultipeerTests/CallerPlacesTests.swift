import Multipeer
import MultipeerCrypto
import MultipeerNIO
import Testing

@Suite("A bounded number of places for callers, SPEC §19")
struct CallerPlacesTests {
    private var places = CallerPlaces(16)
    private var lastKey: UInt8 = 0

    private mutating func caller(_ host: String?, isKnown: Bool = false) throws -> Caller {
        lastKey += 1
        let key = try IdentityKey(rawBytes: [UInt8](repeating: lastKey, count: 32))
        return Caller(key, from: host.map { .tcp(host: $0, port: 4_711) }, isKnown: isKnown)
    }

    /// How many of twenty new callers get a place.
    private mutating func crowd(_ host: (Int) -> String?, isKnown: Bool = false) throws -> Int {
        var count = 0
        for number in 0..<20 {
            let caller = try caller(host(number), isKnown: isKnown)
            if places.take(caller) { count += 1 }
        }
        return count
    }

    @Test("Strangers of one address have a quarter, and the next address still gets in")
    mutating func address() throws {
        #expect(try crowd { _ in "192.0.2.1" } == 4)
        #expect(try crowd { _ in "::ffff:192.0.2.1" } == 0)
        #expect(try crowd { _ in "192.0.2.2" } == 4)
        #expect(try crowd { _ in nil } == 4)
    }

    @Test("Each address of a network counts for itself, and the network has half")
    mutating func network() throws {
        #expect(try crowd { _ in "2001:db8::1" } == 4)
        #expect(try crowd { _ in "2001:db8::2%2" } == 4)
        #expect(try crowd { "2001:db8::3:\($0)" } == 0)
        #expect(try crowd { _ in "2001:db8:0:1::1" } == 4)
    }

    @Test("Strangers of all addresses leave a quarter to known peers")
    mutating func strangers() throws {
        #expect(try crowd { "192.0.2.\($0)" } == 12)
        // Nor is the address of a known peer in its way.
        #expect(try crowd({ _ in "192.0.2.1" }, isKnown: true) == 4)
        #expect(try crowd({ "198.51.100.\($0)" }, isKnown: true) == 0)
    }

    @Test("One peer has two, known or not, and a freed place is available again")
    mutating func identity() throws {
        for isKnown in [false, true] {
            let caller = try caller("192.0.2.1", isKnown: isKnown)
            for expected in [true, true, false] {
                let isIn = places.take(caller)
                #expect(isIn == expected)
            }
            places.giveBack(caller)
            for expected in [true, false] {
                let isIn = places.take(caller)
                #expect(isIn == expected)
            }
        }
        // A caller that has none gives none back.
        let other = try caller("192.0.2.1")
        places.giveBack(other)
        #expect(try crowd { _ in "192.0.2.1" } == 2)
    }
}
