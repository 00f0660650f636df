import MultipeerWire
import Testing

@Suite("Entries and lists of members, SPEC §14")
struct RosterEntryTests {
    static func error(_ bytes: [UInt8]) -> WireError? {
        refusal { () throws(WireError) in _ = try RosterEntry(encoded: bytes.span) }
    }

    /// An entry with parts put in place of the usual ones.
    static func entry(
        presence: UInt8 = 1, name: [UInt8] = [], addresses: [UInt8] = [], chain: [UInt8] = [], fields: [UInt8] = []
    ) -> [UInt8] {
        counting(32) + [1, 0, presence] + vector(name) + vector(addresses) + vector(chain) + vector(fields)
            + counting(64)
    }

    @Test("Decode, encode: the same bytes, with all kinds of parts")
    func roundTrip() throws {
        let sample = sampleEntry(4)
        let decoded = try RosterEntry(encoded: sample.bytes.span)
        #expect(decoded == sample.entry && decoded.encoded == sample.bytes)
        #expect(decoded.content.encoded == Array(sample.bytes.dropLast(64)))
        #expect(Self.error(Self.entry()) == nil && Self.error(Self.entry(presence: 0)) == nil)
    }

    @Test("Every prefix and a byte more are malformed")
    func cut() {
        let bytes = sampleEntry(4).bytes
        for count in 0..<bytes.count { #expect(Self.error(Array(bytes[..<count]))?.closeCode == .malformed) }
        #expect(Self.error(bytes + [0]) == WireError(.trailingBytes, in: .entry))
    }

    @Test("Presence, names and fields (R14.3-1)")
    func parts() {
        for presence in UInt8(2)...255 {
            #expect(Self.error(Self.entry(presence: presence)) == WireError(.valueOutOfRange, in: .presence))
        }
        for scalar in ["\u{0}", "\u{7F}", "\u{2028}", "\u{202E}", "\u{2066}"] {
            #expect(Self.error(Self.entry(name: Array(scalar.utf8))) == WireError(.valueOutOfRange, in: .displayName))
        }
        #expect(Self.error(Self.entry(name: [0xFF])) == WireError(.illFormedText, in: .displayName))
        #expect(Self.error(Self.entry(name: counting(64, from: 32))) == WireError(.lengthOutOfRange, in: .displayName))
        // An even field is malformed, and not unsupported: an entry passes through many hands.
        #expect(Self.error(Self.entry(fields: field(2))) == WireError(.valueOutOfRange, in: .fieldType))
        #expect(Self.error(Self.entry(fields: field(1) + field(0x4001, counting(200)))) == nil)
        #expect(Self.error(Self.entry(fields: field(1, counting(255)))) == WireError(.lengthOutOfRange, in: .fields))
    }

    @Test("Addresses (R14.3-1)")
    func addresses() {
        func address(_ kind: UInt8, _ count: Int) -> [UInt8] { [kind] + vector(counting(count)) }
        for (kind, length) in [(1, 6), (2, 18)] as [(UInt8, Int)] {
            for count in 0...20 {
                let error = Self.error(Self.entry(addresses: address(kind, count)))
                #expect(error == (count == length ? nil : WireError(.lengthOutOfRange, in: .addressValue)))
            }
        }
        #expect(Self.error(Self.entry(addresses: address(9, 0) + address(9, 64))) == nil)
        #expect(Self.error(Self.entry(addresses: address(9, 65))) == WireError(.lengthOutOfRange, in: .addressValue))
        let eight = (0..<8).flatMap { _ in address(7, 0) }
        #expect(Self.error(Self.entry(addresses: eight)) == nil)
        #expect(
            Self.error(Self.entry(addresses: eight + address(7, 0))) == WireError(.lengthOutOfRange, in: .addresses))
    }

    @Test("At most 1,024 bytes, and chains of whole admissions (R14.3-1)")
    func lengths() {
        let eight = counting(768)
        let usual = Self.entry(chain: eight).count
        let filling = 1_024 - usual
        func filled(_ count: Int) -> [UInt8] { Self.entry(chain: eight, fields: field(1, counting(count))) }
        // type, length and the list's own count of two bytes where it is longer than 63.
        let exact = (0...200).first { filled($0).count == 1_024 }
        #expect(filling > 0 && exact != nil)
        #expect(exact.map { Self.error(filled($0)) } == .some(nil))
        #expect(exact.map { Self.error(filled($0 + 1)) } == WireError(.lengthOutOfRange, in: .entry))
        for count in [1, 95, 97, 767] {
            #expect(Self.error(Self.entry(chain: counting(count))) == WireError(.lengthOutOfRange, in: .admissions))
        }
        #expect(Self.error(Self.entry(chain: counting(864))) == WireError(.lengthOutOfRange, in: .admissions))
    }

    @Test("A ROSTER decodes as a whole, or not at all (R14.5-2, R14.5-3)")
    func wholeRoster() {
        let (one, two) = (sampleEntry(1).bytes, sampleEntry(2).bytes)
        #expect(decoded(RosterFrame.self, vector(one + two))?.entries.map(\.encoded) == [one, two])
        let faults: [([UInt8], WireError)] = [
            (vector(one + two) + [0], WireError(.trailingBytes, in: .framePayload)),
            (vector(one + two.dropLast()), WireError(.truncated, in: .signature)),
            (vector(two + one), WireError(.notAscending, in: .member)),
            (vector(one + one), WireError(.notAscending, in: .member)),
            ([0], WireError(.lengthOutOfRange, in: .entries)),
            (Array(vector(one).dropLast()), WireError(.lengthOutOfRange, in: .entries)),
        ]
        for (payload, error) in faults { #expect(refusal(RosterFrame.self, payload) == error) }
    }

    private static func key(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] + counting(30) }

    @Test("Lists ascend, and name at most 256 members (R14.5-2)")
    func lists() {
        let item: (Int) -> [UInt8] = { Self.key($0) + [1, 2] + counting(32) }
        func summary(_ count: Int) -> [UInt8] { vector((0..<count).flatMap(item)) + [0] }
        func want(_ count: Int) -> [UInt8] { vector((0..<count).flatMap(Self.key)) + [0] }
        #expect(decoded(Summary.self, summary(256))?.items.count == 256)
        #expect(refusal(Summary.self, summary(257)) == WireError(.lengthOutOfRange, in: .items))
        #expect(decoded(Want.self, want(256))?.members.count == 256)
        #expect(refusal(Want.self, want(257)) == WireError(.lengthOutOfRange, in: .wantedMembers))
        #expect(refusal(Want.self, want(0)) == WireError(.lengthOutOfRange, in: .wantedMembers))
        for pair in [(1, 0), (1, 1)] {
            let notAscending = WireError(.notAscending, in: .member)
            #expect(refusal(Summary.self, vector(item(pair.0) + item(pair.1)) + [0]) == notAscending)
            #expect(refusal(Want.self, vector(Self.key(pair.0) + Self.key(pair.1)) + [0]) == notAscending)
        }
        #expect(refusal(Want.self, vector(counting(33)) + [0]) == WireError(.lengthOutOfRange, in: .wantedMembers))
        let entry: (Int) -> [UInt8] = { Self.key($0) + [1, 0, 1, 0, 0, 0, 0] + counting(64) }
        let entries = (0..<257).flatMap(entry)
        #expect(refusal(RosterFrame.self, vector(entries)) == WireError(.lengthOutOfRange, in: .entries))
        #expect(decoded(RosterFrame.self, vector(Array(entries.dropLast(103))))?.entries.count == 256)
    }
}
