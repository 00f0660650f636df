public import FuzzSupport
import MultipeerVectors
import MultipeerWire

extension FuzzTarget {
    /// A byte stream, cut into records: whole, byte by byte, and in pieces that the input chooses (SPEC §6.1, §6.2, §19).
    public static let recordStream = FuzzTarget(
        name: "RecordStream", maximumLength: 8_192, memory: MemoryBudget(base: 262_144, perByte: 64),
        minimumFeatures: 1_000,
        seeds: RecordStreamSeeds.make, run: { try cut($0) })

    private static func cut(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let setting = RecordStreamSetting(&choices)
        let stream = choices.rest()
        let whole = setting.read(stream, pieces: [stream.count])
        try requireEqual(whole, setting.model(stream), "records, against the model")
        try requireEqual(setting.read(stream, pieces: [1]), whole, "records, byte by byte")
        try requireEqual(setting.read(stream, pieces: setting.pieces), whole, "records, in pieces of \(setting.pieces)")
    }
}
