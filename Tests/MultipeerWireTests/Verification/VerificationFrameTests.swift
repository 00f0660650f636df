import MultipeerWire
import Testing

@Suite("Frames of verification, SPEC §25.6")
struct VerificationFrameTests {
    private static let bytes = (0..<32).map { UInt8($0) }
    private static let fields = [Field(type: 1, value: [7])]

    /// Every frame, with its type and the bytes of its payload.
    private static let samples: [(type: UInt64, payload: [UInt8], frame: any ControlFrame & Equatable)] = [
        (0x70, [3, 1, 1, 7], StringAsk(fields: fields)),
        (0x72, bytes + [3, 1, 1, 7], StringCommit(commitment: bytes, fields: fields)),
        (0x74, bytes + [3, 1, 1, 7], StringNonce(nonce: bytes, fields: fields)),
        (0x76, bytes + [3, 1, 1, 7], StringReveal(nonce: bytes, fields: fields)),
        (0x78, bytes + [0x43, 0xE7, 3, 1, 1, 7], CodeBegin(share: bytes, number: 999, fields: fields)),
        (0x7A, bytes + [3, 1, 1, 7], CodeAnswer(share: bytes, fields: fields)),
        (0x7C, bytes + [3, 1, 1, 7], CodeConfirm(confirmation: bytes, fields: fields)),
    ]

    private func check<Frame: ControlFrame & Equatable>(_ frame: Frame, _ payload: [UInt8], type: UInt64) {
        #expect(Frame.type.rawValue == type)
        var writer = Writer()
        frame.write(&writer)
        #expect(writer.bytes == payload)
        #expect(refusal(Frame.self, payload) == nil)
        let decoded = try? Frame(payload: payload.span)
        #expect(decoded == frame)
        for count in payload.indices {
            let cut = refusal(Frame.self, Array(payload.prefix(count)))
            #expect(cut?.closeCode == .malformed, "\(count) bytes")
        }
        #expect(refusal(Frame.self, payload + [0]) == WireError(.trailingBytes, in: .framePayload))
    }

    private func refusal<Frame: FramePayload>(_ type: Frame.Type, _ payload: [UInt8]) -> WireError? {
        do throws(WireError) { _ = try Frame(payload: payload.span) } catch { return error }
        return nil
    }

    @Test("Every frame both ways, cut at every place, and with a byte more", arguments: samples.indices)
    func roundTrip(index: Int) {
        let sample = Self.samples[index]
        check(sample.frame, sample.payload, type: sample.type)
    }

    @Test("A number is 1 to 999, and is judged before the fields (R25.6-1)")
    func numbers() {
        let numbers: [([UInt8], Bool)] = [([1], true), ([0x43, 0xE7], true), ([0], false), ([0x43, 0xE8], false)]
        for (number, isGood) in numbers {
            let error = refusal(CodeBegin.self, Self.bytes + number + [0])
            #expect(error == (isGood ? nil : WireError(.valueOutOfRange, in: .codeNumber)))
        }
        let both = refusal(CodeBegin.self, Self.bytes + [0, 2, 2, 0])
        #expect(both == WireError(.valueOutOfRange, in: .codeNumber))
    }

    @Test("Associated data is the bytes after the share")
    func associatedData() {
        for fields in [[], Self.fields] {
            let (begin, answer) = (
                CodeBegin(share: Self.bytes, number: 42, fields: fields), CodeAnswer(share: Self.bytes, fields: fields)
            )
            for (frame, data) in [(begin, begin.associatedData), (answer, answer.associatedData)]
                as [(any FramePayload, [UInt8])]
            {
                var writer = Writer()
                frame.write(&writer)
                #expect(writer.bytes == Self.bytes + data)
            }
        }
    }
}
