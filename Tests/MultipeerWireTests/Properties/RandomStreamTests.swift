import MultipeerWire
import Testing

@Suite("Any stream, however it is cut, SPEC §6")
struct RandomStreamTests {
    static func stream(_ random: inout SplitMix64) -> [UInt8] {
        var bytes = Magic.bytes + record(0x01, bodyLength: 39 + random.below(60))
        for _ in 0..<random.below(6) {
            bytes += record(random.below(2) == 0 ? 0x10 : 0x11, bodyLength: 18 + random.below(200))
        }
        return random.below(4) == 0 ? bytes : random.mutated(bytes)
    }

    @Test("The same records and the same fault for 3,000 streams, each split in four ways")
    func choppings() {
        var random = SplitMix64(seed: 5)
        var wrong = 0
        var faults = 0
        for _ in 0..<3_000 {
            let stream = Self.stream(&random)
            let allowance = random.below(3) == 0 ? random.below(700) : nil
            var whole = StreamReader(.hello, allowance: allowance, maximum: 150)
            whole.receive(stream)
            faults += whole.isFaulty ? 1 : 0
            for pieces in [0, 2, 5, 40] {
                var reader = StreamReader(.hello, allowance: allowance, maximum: 150)
                let cuts = (0..<pieces).map { _ in random.below(stream.count + 1) }.sorted()
                if pieces == 0 { reader.drip(stream) } else { reader.receive(stream, cutAt: cuts) }
                let isSame =
                    reader.events == whole.events && reader.assembler.allowance == whole.assembler.allowance
                    && reader.assembler.isAtBoundary == whole.assembler.isAtBoundary
                if !isSame { wrong += 1 }
            }
        }
        #expect(wrong == 0)
        #expect(faults > 300 && faults < 3_000)
    }

    @Test("The records of a stream join to form its bytes")
    func nothingLost() {
        var random = SplitMix64(seed: 6)
        for _ in 0..<2_000 {
            let stream = Self.stream(&random)
            var reader = StreamReader(.hello)
            reader.receive(stream, cutAt: [random.below(stream.count + 1)])
            var joined: [UInt8] = []
            for case .record(let header, let bytes) in reader.events {
                #expect(bytes.count == header.recordLength)
                joined += bytes
            }
            #expect(joined.isEmpty || stream.starts(with: Magic.bytes + joined))
            if reader.assembler.isAtBoundary { #expect(stream == Magic.bytes + joined) }
        }
    }

    @Test("Random plaintexts: frames join to form the bytes that were read, each in its canonical form")
    func plaintexts() {
        var random = SplitMix64(seed: 8)
        var whole = 0
        for round in 0..<20_000 {
            var plaintext: [UInt8] = []
            if round % 2 == 0 {
                for _ in 0..<random.below(5) {
                    plaintext += frame(random.next() >> UInt64(2 + random.below(61)), random.bytes(random.below(80)))
                }
                if round % 4 == 0 { plaintext = random.mutated(plaintext) }
            } else {
                plaintext = random.bytes(random.below(60))
            }
            let read = frames(plaintext)
            let joined = read.frames.flatMap(\.encoded)
            let isCanonical = read.frames.allSatisfy { $0 == CopiedFrame($0.type, $0.payload) }
            #expect(isCanonical && plaintext.starts(with: joined))
            #expect((read.fault == nil) == (joined.count == plaintext.count))
            if round % 4 == 2 { #expect(read.fault == nil) }
            whole += read.fault == nil ? 1 : 0
        }
        #expect(whole > 5_000 && whole < 20_000)
    }
}
