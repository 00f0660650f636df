import FuzzSupport
import MultipeerVectors

/// The bodies of the vectors, for their receivers; and answers that choose what was offered, or not.
enum NegotiationSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        bodies(vectors, mode: 0, [.initiatorHello, .responderChoice])
            + bodies(
                vectors, mode: 1, [.responderHello, .initiatorCheck]) + bodies(vectors, mode: 2, [.refusal]) + forged
    }

    private static func bodies(_ vectors: VectorSet, mode: UInt8, _ types: [VectorGroupType]) -> [[UInt8]] {
        let settings: [[UInt8]] = [[0x00, 0, 0], [0x15, 7, 1], [0x0A, 0, 2], [0xFD, 1, 3]]
        return types.flatMap { vectors.bytes(of: $0, "body") }.enumerated().map { index, body in
            [mode] + settings[index % settings.count] + body
        }
    }

    private static let forged: [[UInt8]] = [
        [3, 0x00, 0, 0, 0, 0, 0], [3, 0x05, 0, 1, 2, 2, 0], [3, 0x1A, 0, 1, 2, 2, 1, 0, 0],
        [3, 0x10, 5, 2, 1, 0, 2, 0, 0], [3, 0x0E, 0, 3, 0, 1, 0, 2, 0], [3, 0x1D, 0, 3, 0, 1, 0, 1, 2, 1, 0, 1, 0],
    ]
}
