import MultipeerWire

/// A record's plaintext full of frames.
public struct FrameDecoding: Sendable {
    private let plaintext: [UInt8]
    /// Frames in it.
    public let framesPerRecord: Int

    /// Frames of `length` bytes, type and length included: those of an ordinary payload, and now and then one of padding
    /// and one of a type that nobody knows.
    public init(frameLength length: Int = 64) {
        let types: [UInt64] = [0x42, 0x42, 0x56, 0x42, 0x01, 0x42, 0x40, 0x33]
        framesPerRecord = RecordHeader.maximumPlaintextLength / length
        var bytes: [UInt8] = []
        for index in 0..<framesPerRecord {
            let type = types[index % types.count]
            let payload = length - VarInt.length(of: type) - 1
            var writer = Writer()
            writer.varint(type)
            writer.vector([UInt8](repeating: UInt8(truncatingIfNeeded: index), count: payload))
            bytes += writer.bytes
        }
        plaintext = bytes
    }

    /// Decodes the record `count` times. Returns a number that depends on every frame.
    @inline(never)
    public func run(_ count: Int) throws -> Int {
        var sum = 0
        for _ in 0..<count {
            var cursor = FrameCursor(plaintext.span)
            var frames = 0
            while let frame = try cursor.next() {
                if let type = frame.type { sum &+= Int(type.rawValue) } else if frame.isIgnorable { sum &+= 1 }
                sum &+= frame.payload.count &+ Int(frame.payload[0])
                frames += 1
            }
            guard frames == framesPerRecord else { throw WorkloadFailure.wrongResult }
        }
        return sum
    }
}
