public import FuzzSupport
import MultipeerVectors
import MultipeerWire

extension FuzzTarget {
    /// The frames of one record's plaintext: walked, decoded, written again (SPEC §3, §6.3, §8, §9.5, §10.2, §15, §16.1).
    public static let frames = FuzzTarget(
        name: "Frames", maximumLength: 4_096, memory: MemoryBudget(base: 65_536, perByte: 64), minimumFeatures: 5_200,
        seeds: FrameSeeds.make, run: { try walk($0) })

    /// The reader's walk is compared with one that was written from SPEC §3.2 and §6.3 without it.
    private static func walk(_ plaintext: Span<UInt8>) throws {
        let model = ModelFrames(plaintext)
        var cursor = FrameCursor(plaintext)
        var fault: WireError?
        var count = 0
        do {
            while let frame = try cursor.next() {
                try require(count < model.frames.count, "the reader finds frame \(count), where the model finds none")
                try compare(frame, with: model.frames[count])
                try FrameRoundTrip.check(frame)
                try VisitedFields.check(frame)
                count += 1
            }
        } catch let error as WireError {
            fault = error
        }
        try requireEqual(count, model.frames.count, "frames")
        try requireEqual(fault?.reason, model.fault, "fault behind frame \(count)")
    }

    private static func compare(_ frame: borrowing RawFrame, with model: ModelFrames.Frame) throws(OracleFailure) {
        try requireEqual(frame.rawType, model.type, "type")
        try requireEqual([UInt8](copying: frame.payload), model.payload, "payload")
        var writer = Writer()
        writer.varint(frame.rawType)
        writer.vector(model.payload)
        try requireEqual(writer.bytes, [UInt8](copying: frame.encoded), "the frame, written again")
    }
}
