import FuzzSupport
import MultipeerVectors

/// The streams of the vectors, read as both roles, with and without limits.
enum RecordStreamSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        let settings: [[UInt8]] = [[0, 2, 6, 0], [1, 0, 9, 30], [0xA6, 1, 1, 40], [7, 63, 0, 2]]
        return vectors.bytes(of: .recordStream).flatMap { stream in settings.map { $0 + stream } }
    }
}
