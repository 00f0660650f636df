import FuzzSupport
import MultipeerVectors

/// The streams of the vectors, read as both roles, with and without limits; and records that use up an allowance together.
enum RecordStreamSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        let settings: [[UInt8]] = [[0, 2, 6, 0], [1, 0, 9, 30], [0xA6, 1, 1, 40], [7, 63, 0, 2]]
        return vectors.bytes(of: .recordStream).flatMap { stream in settings.map { $0 + stream } } + sums
    }

    /// 64 bytes are allowed, and 64 or 65 come in two records or in four (R19-1).
    private static let sums: [[UInt8]] = [[18, 40], [18, 41], [18, 18, 19], [18, 18, 18, 18]].map(sum)

    private static func sum(_ bodies: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0xB4, 1, 1, 40, 0x4D, 0x50, 0x45, 0x45, 0x52, 0x0D, 0x0A, 0x00]
        stream += record(0x01, 39)
        for body in bodies { stream += record(0x10, body) }
        return stream
    }

    private static func record(_ kind: UInt8, _ length: UInt8) -> [UInt8] {
        [kind, 0, length] + [UInt8](repeating: 0, count: Int(length))
    }
}
