import MultipeerWire
import Testing

/// Every decoder of a body or payload, and the bytes that what it decodes encodes to; nil when it refuses, or where SPEC
/// makes decoding lose something (unknown reasons).
struct Decoder: Sendable {
    let name: String
    let valid: [[UInt8]]
    let recode: @Sendable ([UInt8]) -> [UInt8]?

    static func control<Frame: ControlFrame>(
        _ type: Frame.Type, keeping isKept: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
    ) -> Decoder {
        let valid = frameSamples.filter { Swift.type(of: $0.frame) == type && $0.payload.count < 2_000 }.map(\.payload)
        return Decoder(name: "\(type)", valid: valid) { bytes in
            guard let frame = decoded(type, bytes), isKept(bytes) else { return nil }
            return payload(of: frame)
        }
    }

    static let all: [Decoder] = [
        control(Close.self), control(Proof.self), control(PeerInfo.self), control(Invite.self), control(Accept.self),
        control(Decline.self) { (1...4).contains($0[0]) }, control(Cancel.self) { (1...2).contains($0[0]) },
        control(Rekey.self),
        control(Certificates.self), control(Ready.self), control(FileOffer.self), control(FileAccept.self),
        control(FileCancel.self) { payload in
            (1...6).contains(payload[VarInt.length(of: (try? FileCancel(payload: payload.span).id) ?? 0)])
        }, control(FileEnd.self),
        control(FileDone.self),
        Decoder(
            name: "InitiatorHello",
            valid: [InitiatorHelloTests.body(extensions: helloExtension(9, [1, 2]) + helloExtension(0x0A0A))],
            recode: { bytes in try? InitiatorHello(body: bytes.span).body() }),
        Decoder(
            name: "ResponderHello", valid: [u16(1) + u16(2) + vector(helloExtension(9, [1])) + counting(48)],
            recode: { bytes in try? ResponderHello(body: bytes.span).body() }),
        Decoder(
            name: "Refusal", valid: [[1] + list([1, 2, 3]) + list([]), [3, 0, 0]],
            recode: { bytes in try? Refusal(body: bytes.span).body() }),
        Decoder(
            name: "MESSAGE", valid: [varint(100) + counting(50), [0]],
            recode: { bytes in message(bytes).map { varint($0.total) + $0.data } }),
        Decoder(
            name: "FILE_DATA", valid: [varint(1) + varint(70_000) + counting(50)],
            recode: { bytes in fileData(bytes).map { varint($0.id) + varint($0.offset) + $0.data } }),
    ]
}

@Suite("Any bytes into any decoder, SPEC §3.5")
struct RandomBytesTests {
    @Test("All that decodes is in its canonical form: 20,000 random strings", arguments: Decoder.all)
    func random(decoder: Decoder) {
        var random = SplitMix64(seed: 2026)
        var wrong: [[UInt8]] = []
        for _ in 0..<20_000 {
            let bytes = random.bytes(random.below(random.below(2) == 0 ? 8 : 150))
            if let recoded = decoder.recode(bytes), recoded != bytes { wrong.append(bytes) }
        }
        #expect(wrong.isEmpty, "\(decoder.name)")
    }

    @Test("The same for 20,000 mutations of valid ones, of which some decode and some do not", arguments: Decoder.all)
    func mutations(decoder: Decoder) throws {
        var random = SplitMix64(seed: 11)
        var wrong: [[UInt8]] = []
        var accepted = 0
        try #require(!decoder.valid.isEmpty)
        for _ in 0..<20_000 {
            let bytes = random.mutated(decoder.valid[random.below(decoder.valid.count)])
            guard let recoded = decoder.recode(bytes) else { continue }
            accepted += 1
            if recoded != bytes { wrong.append(bytes) }
        }
        #expect(wrong.isEmpty, "\(decoder.name)")
        #expect(accepted > 0 && accepted < 20_000, "\(decoder.name)")
    }

    @Test("Every string of up to two bytes", arguments: Decoder.all)
    func short(decoder: Decoder) {
        var wrong: [[UInt8]] = []
        let strings = [[]] + (UInt8.min...UInt8.max).map { [$0] } + (UInt16.min...UInt16.max).map(u16)
        for bytes in strings {
            if let recoded = decoder.recode(bytes), recoded != bytes { wrong.append(bytes) }
        }
        #expect(wrong.isEmpty, "\(decoder.name)")
    }

    @Test("50,000 random operations of a reader never trap, and never take more than is left")
    func reader() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<5_000 {
            let bytes = random.bytes(random.below(40))
            var reader = Reader(bytes.span)
            for _ in 0..<10 {
                let before = reader.remaining
                do throws(WireError) {
                    switch random.below(6) {
                    case 0: _ = try reader.u8(.reason)
                    case 1: _ = try reader.u16(.algorithm)
                    case 2: _ = try reader.varint(.timeout)
                    case 3: _ = try reader.bytes(0...random.below(50), .context)
                    case 4: _ = try reader.take(random.below(60) - 10, .nonce)
                    default: _ = try reader.bytes(random.below(20)...Int.max, .context)
                    }
                } catch {
                    #expect(error.closeCode == .malformed)
                }
                #expect(reader.remaining >= 0 && reader.remaining <= before)
            }
        }
    }
}
