internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `pairing/frames`: the frames of SPEC §25.6.
struct VerificationFrames {
    let subject: SwiftSubject
    private var samples: Samples { Samples(crypto: subject.crypto) }

    func write() throws -> CaseWriter {
        let writer = CaseWriter(
            "pairing/frames", topic: "pairing-frames", type: .controlFrame, section: "25.6", subject: subject)
        let cases = FrameCases(writer)
        cases.begin("STRING_ASK", section: "25.6")
        try cases.fieldLists([])
        for frame in ["STRING_COMMIT", "STRING_NONCE", "STRING_REVEAL", "CODE_ANSWER", "CODE_CONFIRM"] {
            cases.begin(frame, section: "25.6")
            try fixed(cases, samples.bytes32(frame), behind: [0])
            try cases.fieldLists(samples.bytes32(frame))
        }
        try codeBegin(cases)
        return writer
    }

    /// What begins with 32 bytes.
    private func fixed(_ cases: FrameCases, _ bytes: [UInt8], behind rest: [UInt8]) throws {
        try cases.accept("32 bytes of zeros", [], [UInt8](repeating: 0, count: 32) + rest)
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.refuse("Truncated", "31 bytes", ["R3.3-1"], Array(bytes.dropLast()))
    }

    private func codeBegin(_ cases: FrameCases) throws {
        cases.begin("CODE_BEGIN", section: "25.6")
        let share = samples.bytes32("CODE_BEGIN")
        for number in [1, 4, 63, 64, 999] as [UInt64] {
            try cases.accept("number \(number)", ["R25.6-1"], share + WireBytes.varint(number) + [0])
        }
        for number in [0, 1_000, 16_384, VarInt.maximum] as [UInt64] {
            try cases.refuse(
                "ValueOutOfRange", "number \(number)", ["R25.6-1"], share + WireBytes.varint(number) + [0])
        }
        try cases.refuse("NonMinimalInteger", "number 4 in a longer form", ["R3.2-1"], share + [0x40, 4, 0])
        try cases.refuse("Truncated", "no number", ["R3.3-1"], share)
        try cases.refuse(
            "Precedence", "the number comes before the fields", ["R25.6-1", "R18-1"],
            share + [0] + WireBytes.vector(WireBytes.field(2, [])))
        try fixed(cases, share, behind: [4, 0])
        try cases.fieldLists(share + [4])
    }
}
