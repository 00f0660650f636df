import MultipeerWire
import Testing

@Suite("The responder's hello, SPEC §7.3")
struct ResponderHelloTests {
    static let key = counting(32, from: 100)
    static let confirmation = counting(16, from: 200)

    static func error(_ body: [UInt8]) -> WireError? {
        refusal { () throws(WireError) in try ResponderHello(body: body.span) }
    }

    @Test("Byte-exact, both ways")
    func known() throws {
        let hello = ResponderHello(
            version: 1, suite: 2, extensions: [HelloExtension(type: 0x0102, data: [9, 8])], ephemeral: Self.key,
            confirmation: Self.confirmation)
        let body: [UInt8] = [0, 1, 0, 2, 5, 1, 2, 2, 9, 8] + Self.key + Self.confirmation
        #expect(hello.body() == body)
        let back = try ResponderHello(body: body.span)
        #expect(back == hello)
        #expect(ResponderHello.noiseLength == 48)
    }

    @Test("Every prefix is malformed, and so is one more byte (R3.3-1, R3.3-2)")
    func lengths() {
        let body = u16(1) + u16(1) + vector(helloExtension(7, [1])) + Self.key + Self.confirmation
        #expect(Self.error(body) == nil)
        for count in 0..<body.count { #expect(Self.error([UInt8](body[..<count]))?.closeCode == .malformed) }
        #expect(Self.error(body + [0]) == WireError(.trailingBytes, in: .confirmation))
        #expect(Self.error([UInt8](body.dropLast())) == WireError(.truncated, in: .confirmation))
    }

    @Test("Extensions follow the rules of the initiator's (R7.1-2)")
    func extensions() {
        func error(_ extensions: [UInt8]) -> WireError? {
            Self.error(u16(1) + u16(1) + vector(extensions) + Self.key + Self.confirmation)
        }
        #expect(error(helloExtension(1) + helloExtension(2)) == nil)
        #expect(error(helloExtension(2) + helloExtension(1)) == WireError(.notAscending, in: .extensionType))
        #expect(error(helloExtension(2) + helloExtension(2)) == WireError(.notAscending, in: .extensionType))
        #expect(error(helloExtension(2, counting(2_049))) == WireError(.lengthOutOfRange, in: .extensions))
    }

    @Test("The decoder does not judge whether a choice is legal (R7.3-2)")
    func anyChoice() throws {
        let body = u16(0xFAFA) + u16(0) + vector([]) + Self.key + Self.confirmation
        let hello = try ResponderHello(body: body.span)
        #expect(hello.version == 0xFAFA && hello.suite == 0)
    }
}

@Suite("Refusals, SPEC §7.5")
struct RefusalTests {
    static func error(_ body: [UInt8]) -> WireError? {
        refusal { () throws(WireError) in try Refusal(body: body.span) }
    }

    @Test("Byte-exact, both ways")
    func known() throws {
        let cases: [(refusal: Refusal, body: [UInt8])] = [
            (Refusal(code: .unsupportedVersion, versions: [1, 0x0102]), [1, 4, 0, 1, 1, 2, 0]),
            (Refusal(code: .unsupportedSuite, suites: [2]), [2, 0, 2, 0, 2]),
            (Refusal(code: .busy), [3, 0, 0]), (Refusal(code: .malformedHello), [4, 0, 0]),
        ]
        for (refusal, body) in cases {
            #expect(refusal.body() == body)
            let back = try Refusal(body: body.span)
            #expect(back == refusal)
        }
    }

    @Test("Unknown codes are values (R7.5-3)")
    func unknownCodes() throws {
        for code in UInt8.min...UInt8.max {
            let body = [code, 0, 0]
            let refusal = try Refusal(body: body.span)
            #expect(refusal.code == Refusal.Code(rawValue: code))
            #expect(refusal.body() == body)
        }
    }

    @Test("Lists of up to 32 values", arguments: 0...70)
    func listLengths(bytes: Int) {
        let isFine = bytes % 2 == 0 && bytes <= 64
        let content = counting(bytes)
        #expect(Self.error([1] + vector(content) + [0]) == (isFine ? nil : WireError(.lengthOutOfRange, in: .versions)))
        #expect(Self.error([2, 0] + vector(content)) == (isFine ? nil : WireError(.lengthOutOfRange, in: .suites)))
    }

    @Test("Every prefix is malformed, and so is one more byte (R3.3-1, R3.3-2)")
    func lengths() {
        let body: [UInt8] = [1] + list([1, 2]) + list([1])
        for count in 0..<body.count { #expect(Self.error([UInt8](body[..<count]))?.closeCode == .malformed) }
        #expect(Self.error(body + [0]) == WireError(.trailingBytes, in: .suites))
    }

    @Test("R7.1-1 is about hellos: a refusal may repeat a value")
    func repeatedValues() throws {
        let body = [1] + list([1, 1]) + list([2, 2])
        let refusal = try Refusal(body: body.span)
        #expect(refusal.versions == [1, 1] && refusal.suites == [2, 2])
        #expect(refusal.body() == body)
    }

    @Test("Magic, header and body open a direction")
    func opening() {
        #expect(ClearRecord.opening(.refusal, body: [3, 0, 0]) == Magic.bytes + [0x02, 0, 3, 3, 0, 0])
        let hello = counting(300)
        #expect(ClearRecord.opening(.hello, body: hello) == Magic.bytes + [0x01, 0x01, 0x2C] + hello)
    }
}
