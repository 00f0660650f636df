import MultipeerWire
import Testing

@Suite("Control frames, SPEC §8, §9.5, §10, §15.3, §16.1")
struct ControlFrameTests {
    static let indices = frameSamples.indices

    /// Decodes as `sample`'s type.
    static func decode<Frame: ControlFrame & Equatable>(
        like sample: Frame, _ payload: [UInt8]
    ) -> (isEqual: Bool, encoded: [UInt8]?, refusal: WireError?) {
        do throws(WireError) {
            let frame = try Frame(payload: payload.span)
            return (frame == sample, frame.encoded(), nil)
        } catch {
            return (false, nil, error)
        }
    }

    static func type<Frame: ControlFrame>(_ frame: Frame) -> FrameType { Frame.type }

    @Test("The samples cover every control frame but PADDING, which has no form")
    func coverage() {
        let covered = Set(frameSamples.map { Self.type($0.frame) })
        #expect(covered == Set(FrameType.allCases.filter { !$0.isPayload && $0 != .padding }))
    }

    @Test("Decode, encode, decode: the same bytes and values", arguments: indices)
    func roundTrip(index: Int) {
        let sample = frameSamples[index]
        let decoded = Self.decode(like: sample.frame, sample.payload)
        let whole = frame(Self.type(sample.frame).rawValue, sample.payload)
        #expect(decoded.isEqual, "\(sample.name)")
        #expect(decoded.encoded == whole, "\(sample.name)")
        #expect(sample.frame.encoded() == whole, "\(sample.name)")
        #expect(payload(of: sample.frame) == sample.payload, "\(sample.name)")
        #expect(frames(whole).frames == [CopiedFrame(Self.type(sample.frame).rawValue, sample.payload)])
    }

    @Test("It fits a record", arguments: indices)
    func size(index: Int) {
        #expect(frameSamples[index].frame.encoded().count <= RecordHeader.maximumPlaintextLength)
    }

    @Test("Every prefix is malformed (R3.3-1)", arguments: indices)
    func prefixes(index: Int) {
        let sample = frameSamples[index]
        var wrong: [Int] = []
        for count in 0..<sample.payload.count {
            let refusal = Self.decode(like: sample.frame, [UInt8](sample.payload[..<count])).refusal
            if refusal?.closeCode != .malformed { wrong.append(count) }
        }
        #expect(wrong.isEmpty, "\(sample.name)")
    }

    @Test("One more byte is malformed (R3.3-2)", arguments: indices)
    func trailing(index: Int) {
        let sample = frameSamples[index]
        for byte: UInt8 in [0, 1, 0xFF] {
            let refusal = Self.decode(like: sample.frame, sample.payload + [byte]).refusal
            #expect(refusal == WireError(.trailingBytes, in: .framePayload), "\(sample.name)")
        }
    }

    @Test("Any byte changed to any other: refused, or another value in its canonical form", arguments: indices)
    func everyByte(index: Int) {
        let sample = frameSamples[index]
        guard sample.payload.count < 500 else { return }
        var wrong: [(place: Int, byte: UInt8)] = []
        for place in sample.payload.indices {
            for byte in UInt8.min...UInt8.max where byte != sample.payload[place] {
                var bytes = sample.payload
                bytes[place] = byte
                let decoded = Self.decode(like: sample.frame, bytes)
                guard decoded.refusal == nil else { continue }
                let canonical = frame(Self.type(sample.frame).rawValue, bytes)
                let isUnknownReason = Self.hasUnknownReason(sample.frame, bytes)
                if isUnknownReason ? decoded.encoded == canonical : decoded.isEqual || decoded.encoded != canonical {
                    wrong.append((place, byte))
                }
            }
        }
        #expect(wrong.isEmpty, "\(sample.name)")
    }

    /// Whether `payload` has a reason that SPEC requires receivers to treat as another: the one place where decoding
    /// loses something.
    static func hasUnknownReason(_ frame: any ControlFrame, _ payload: [UInt8]) -> Bool {
        switch type(frame) {
        case .decline: !(1...7).contains(payload[0]) || payload[0] == 5
        case .cancel: !(1...2).contains(payload[0])
        case .fileCancel: !(1...13).contains(payload[min([1, 2, 4, 8][Int(payload[0] >> 6)], payload.count - 1)])
        default: false
        }
    }
}
