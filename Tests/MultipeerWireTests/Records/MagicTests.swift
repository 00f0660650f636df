import MultipeerWire
import Testing

@Suite("Magic, SPEC §6.1")
struct MagicTests {
    static let magic: [UInt8] = [0x4D, 0x50, 0x45, 0x45, 0x52, 0x0D, 0x0A, 0x00]
    static let fault = StreamEvent.fault(.malformed(WireError(.valueOutOfRange, in: .magic)))

    @Test("The eight bytes")
    func bytes() { #expect(Magic.bytes == Self.magic) }

    @Test("A byte that differs is refused at once, whole and byte by byte (R6.1-1)", arguments: 0..<8)
    func firstDifference(place: Int) {
        for wrong in UInt8.min...UInt8.max where wrong != Self.magic[place] {
            var bytes = [UInt8](Self.magic[..<place]) + [wrong]
            var dripped = StreamReader(.hello)
            dripped.drip(bytes)
            #expect(dripped.events == [Self.fault])
            #expect(dripped.faultAfter == place + 1)

            bytes += Self.magic[(place + 1)...] + record(0x01, bodyLength: 39)
            var whole = StreamReader(.hello)
            whole.receive(bytes)
            #expect(whole.events == [Self.fault])
        }
    }

    @Test("A prefix of it is no fault", arguments: 0...8)
    func beginning(count: Int) {
        var reader = StreamReader(.hello)
        reader.drip([UInt8](Self.magic[..<count]))
        #expect(reader.events.isEmpty)
        #expect(reader.assembler.isUntouched == (count == 0))
        #expect(reader.assembler.isAtBoundary == (count == 8))
    }

    @Test("It occurs once: a second one is a record of an unknown kind")
    func onlyOnce() {
        var reader = StreamReader(.hello)
        reader.receive(Self.magic + Self.magic)
        #expect(reader.events == [.fault(.malformed(WireError(.valueOutOfRange, in: .recordKind)))])
    }

    @Test(
        "First bytes of other protocols",
        arguments: ["GET / HTTP/1.1\r\n", "SSH-2.0-x\r\n", "MPEER\n\0", "MPEER\r\r\n\0", "mpeer"])
    func strangers(text: String) {
        var reader = StreamReader(.hello)
        reader.receive(Array(text.utf8))
        #expect(reader.events == [Self.fault])
    }
}
