import MultipeerWire
import Testing

@Suite("The initiator's hello, SPEC §7.1")
struct InitiatorHelloTests {
    static let key = counting(32, from: 100)

    static func body(
        versions: [UInt8] = list([1]), suites: [UInt8] = list([2, 1]), extensions: [UInt8] = [], tail: [UInt8] = key
    ) -> [UInt8] {
        versions + suites + vector(extensions) + tail
    }

    static func error(_ body: [UInt8]) -> WireError? {
        refusal { () throws(WireError) in try InitiatorHello(body: body.span) }
    }

    @Test("Byte-exact, both ways")
    func known() throws {
        let hello = InitiatorHello(
            versions: [0x0001, 0x3A3A], suites: [0x0002, 0x5A5A, 0x0001],
            extensions: [HelloExtension(type: 0x0A0A, data: []), HelloExtension(type: 0x0B0B, data: [1, 2])],
            ephemeral: Self.key)
        let body: [UInt8] =
            [4, 0x00, 0x01, 0x3A, 0x3A, 6, 0x00, 0x02, 0x5A, 0x5A, 0x00, 0x01]
            + [8, 0x0A, 0x0A, 0, 0x0B, 0x0B, 2, 1, 2] + Self.key
        #expect(hello.body() == body)
        let back = try InitiatorHello(body: body.span)
        #expect(back == hello)
        #expect(InitiatorHello.noiseLength == 32)
    }

    @Test("The shortest and the longest one fit a HELLO record")
    func sizes() throws {
        let shortest = Self.body(suites: list([1]))
        #expect(shortest.count == RecordKind.hello.bodyLengths.lowerBound)
        #expect(Self.error(shortest) == nil)
        let many = (1...32).map { UInt16($0) }
        let extensions = helloExtension(1, counting(2_048)) + helloExtension(2, counting(3_072 - 2_052 - 4))
        #expect(extensions.count == 3_072)
        let longest = Self.body(versions: list(many), suites: list(many), extensions: extensions)
        #expect(RecordKind.hello.bodyLengths.contains(longest.count))
        let hello = try InitiatorHello(body: longest.span)
        #expect(hello.versions == many && hello.suites == many && hello.extensions.count == 2)
        #expect(hello.body() == longest)
    }

    @Test("Values unknown to a responder decode (R7.1-3)")
    func unknownValues() throws {
        let body = Self.body(
            versions: list([0xFAFA, 0, 0xFFFF, 1]), suites: list([3, 0x0A0A, 0]),
            extensions: helloExtension(0) + helloExtension(0xFFFF, [1]))
        let hello = try InitiatorHello(body: body.span)
        #expect(hello.versions == [0xFAFA, 0, 0xFFFF, 1])
        #expect(hello.suites == [3, 0x0A0A, 0])
        #expect(hello.extensions.map(\.type) == [0, 0xFFFF])
        #expect(hello.body() == body)
    }

    @Test("Every prefix is malformed, and so is one more byte (R3.3-1, R3.3-2)")
    func lengths() {
        let body = Self.body(extensions: helloExtension(0x1A1A, [1, 2, 3]))
        for count in 0..<body.count { #expect(Self.error([UInt8](body[..<count]))?.closeCode == .malformed) }
        #expect(Self.error(body + [0]) == WireError(.trailingBytes, in: .ephemeral))
        #expect(Self.error(Self.body(tail: counting(31))) == WireError(.truncated, in: .ephemeral))
        #expect(Self.error(Self.body(tail: counting(33))) == WireError(.trailingBytes, in: .ephemeral))
    }

    @Test("A repeated value (R7.1-1)")
    func duplicates() {
        for list in [list([1, 1]), list([1, 2, 1]), list([7, 0x0A0A, 0x0A0A]), list(Array(1...31) + [31])] {
            #expect(Self.error(Self.body(versions: list)) == WireError(.notAscending, in: .versions))
            #expect(Self.error(Self.body(suites: list)) == WireError(.notAscending, in: .suites))
        }
        // The same value may be a version and a suite.
        #expect(Self.error(Self.body(versions: list([1, 2]), suites: list([2, 1]))) == nil)
    }

    @Test("Lists of 1 to 32 values", arguments: 0...70)
    func listLengths(bytes: Int) {
        let distinct = (0..<bytes).map { UInt8($0 % 2 == 0 ? 0 : $0) }
        let isFine = bytes % 2 == 0 && (2...64).contains(bytes)
        let versions = Self.error(Self.body(versions: vector(distinct)))
        #expect(versions == (isFine ? nil : WireError(.lengthOutOfRange, in: .versions)))
        let suites = Self.error(Self.body(suites: vector(distinct)))
        #expect(suites == (isFine ? nil : WireError(.lengthOutOfRange, in: .suites)))
    }

    @Test("Extensions that do not ascend (R7.1-2)")
    func extensionOrder() {
        let notAscending = WireError(.notAscending, in: .extensionType)
        #expect(Self.error(Self.body(extensions: helloExtension(5) + helloExtension(5, [1]))) == notAscending)
        #expect(Self.error(Self.body(extensions: helloExtension(5) + helloExtension(4))) == notAscending)
        #expect(Self.error(Self.body(extensions: helloExtension(0) + helloExtension(0))) == notAscending)
        #expect(Self.error(Self.body(extensions: helloExtension(0x0100) + helloExtension(0x00FF))) == notAscending)
    }

    @Test("Extensions of 0 to 2,048 bytes, lists of up to 3,072")
    func extensionLengths() {
        let tooLong = WireError(.lengthOutOfRange, in: .extensions)
        #expect(Self.error(Self.body(extensions: helloExtension(1, counting(2_048)))) == nil)
        #expect(Self.error(Self.body(extensions: helloExtension(1, counting(2_049)))) == tooLong)
        let two = helloExtension(1, counting(2_048)) + helloExtension(2, counting(1_017))
        #expect(two.count == 3_073)
        #expect(Self.error(Self.body(extensions: two)) == tooLong)
        #expect(Self.error(Self.body(extensions: [0])) == WireError(.truncated, in: .extensionType))
        #expect(Self.error(Self.body(extensions: [0, 1])) == WireError(.truncated, in: .extensions))
        #expect(Self.error(Self.body(extensions: [0, 1, 1])) == tooLong)
    }

    @Test("Counts in a longer form (R3.2-1)", arguments: [2, 4, 8])
    func nonMinimal(length: Int) {
        let versions = varint(2, length: length) + [0, 1]
        #expect(Self.error(Self.body(versions: versions)) == WireError(.nonMinimalInteger, in: .versions))
        let body = list([1]) + list([1]) + varint(0, length: length) + Self.key
        #expect(Self.error(body) == WireError(.nonMinimalInteger, in: .extensions))
    }
}
