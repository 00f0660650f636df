import MultipeerWire
import Testing

@Suite("Ranges in CREDIT, streams and files, SPEC §13.4, §15.3, §15.6")
struct FlowAndStreamRangeTests {
    @Test("Every kind of CREDIT: unknown ones are unsupported, and some name no number (R13.4-1)")
    func creditKinds() {
        for kind in UInt8.min...UInt8.max {
            let unknown = kind > 4 ? WireError(.unknownCritical, in: .creditKind) : nil
            #expect(refusal(Credit.self, [kind, 0, 1]) == unknown)
            let numbered = kind < 3 ? WireError(.valueOutOfRange, in: .creditID) : nil
            #expect(refusal(Credit.self, [kind, 1, 1]) == unknown ?? numbered)
        }
        #expect(CreditKind.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
    }

    static func offer(type: UInt8 = 0, size: UInt64 = 9, manifest: UInt64 = 0) -> [UInt8] {
        [0] + varint(size) + counting(16) + [type, 0] + varint(manifest) + [1, 0x61, 0]
    }

    @Test("Types and manifests of FILE_OFFER (R15.3-8)")
    func offers() {
        for type in UInt8.min...UInt8.max {
            let expected = type > 2 ? WireError(.unknownCritical, in: .fileType) : nil
            #expect(refusal(FileOffer.self, Self.offer(type: type)) == expected)
        }
        let wrong = WireError(.valueOutOfRange, in: .fileManifest)
        for type: UInt8 in [0, 1] { #expect(refusal(FileOffer.self, Self.offer(type: type, manifest: 1)) == wrong) }
        #expect(refusal(FileOffer.self, Self.offer(type: 2, manifest: 9)) == nil)
        #expect(refusal(FileOffer.self, Self.offer(type: 2, manifest: 10)) == wrong)
        #expect(refusal(FileOffer.self, Self.offer(type: 2, size: 1 << 40, manifest: 4_194_304)) == nil)
        #expect(refusal(FileOffer.self, Self.offer(type: 2, size: 1 << 40, manifest: 4_194_305)) == wrong)
    }

    @Test("offset and credit of FILE_ACCEPT stay below 2^62 together (R15.3-9)")
    func accepts() {
        func accept(_ offset: UInt64, _ credit: UInt64) -> [UInt8] {
            [0] + varint(offset) + counting(32) + varint(credit) + [0]
        }
        #expect(refusal(FileAccept.self, accept(VarInt.maximum, 0)) == nil)
        #expect(refusal(FileAccept.self, accept(0, VarInt.maximum)) == nil)
        for (offset, credit) in [(VarInt.maximum, 1), (1, VarInt.maximum), (VarInt.maximum, VarInt.maximum)] {
            let refused = refusal(FileAccept.self, accept(offset, credit))
            #expect(refused == WireError(.valueOutOfRange, in: .fileCredit))
        }
    }

    @Test("Names of streams are text of at most 255 bytes (R15.6-1)")
    func names() {
        func open(_ name: [UInt8]) -> [UInt8] { [0, 0] + vector(name) + [0] }
        #expect(refusal(StreamOpen.self, open([])) == nil)
        #expect(refusal(StreamOpen.self, open([UInt8](repeating: 0x61, count: 255))) == nil)
        let long = refusal(StreamOpen.self, open([UInt8](repeating: 0x61, count: 256)))
        #expect(long == WireError(.lengthOutOfRange, in: .streamName))
        #expect(refusal(StreamOpen.self, open([0xC0, 0x80])) == WireError(.illFormedText, in: .streamName))
    }

    @Test("STREAM_DATA has at least one byte (R15.6-2)")
    func data() {
        func read(_ payload: [UInt8]) -> (id: UInt64, data: [UInt8])? {
            guard let frame = try? StreamDataFrame(payload: payload.span) else { return nil }
            return (frame.id, [UInt8](copying: frame.data))
        }
        #expect(read(varint(70) + [1, 2])?.data == [1, 2] && read(varint(70) + [1])?.id == 70)
        #expect(read([]) == nil && read([0x40]) == nil)
        let empty = refusal { () throws(WireError) in
            let bytes: [UInt8] = [5]
            _ = try StreamDataFrame(payload: bytes.span)
        }
        #expect(empty == WireError(.lengthOutOfRange, in: .streamData))
    }

    @Test("A message begins with no more than its limit of bytes")
    func limitedMessage() {
        let content = counting(500)
        for limit in [0, 1, 63, 64, 200, 500, 900] {
            var bytes: [UInt8] = []
            var taken: Int?
            bytes.append(addingCapacity: 1_000) { (output: inout OutputSpan<UInt8>) in
                taken = PayloadFrame.appendMessage(content.span, limit: limit, room: 1_000, to: &output)
            }
            #expect(taken == (limit == 0 ? nil : min(limit, 500)))
            if let taken { #expect(bytes == frame(0x40, varint(500) + counting(taken))) }
        }
    }
}
