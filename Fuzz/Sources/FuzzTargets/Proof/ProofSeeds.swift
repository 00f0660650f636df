import FuzzSupport
import MultipeerVectors

/// Every candidate in every setting, untouched and with one change; and the payloads of the vectors.
enum ProofSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        let candidates = UInt8(ProofCandidate.allCases.count)
        let raw = vectors.bytes(of: .proof, "payload").enumerated().map { index, payload in
            [UInt8(index & 1), candidates - 1] + payload
        }
        let made = (0..<candidates - 1).flatMap { (candidate: UInt8) -> [[UInt8]] in
            settings.flatMap { setting in [[setting, candidate], [setting, candidate, candidate, 3, 1, 0, 40, 2]] }
        }
        return made + raw
    }

    private static let settings: [UInt8] = [0x00, 0x01, 0x08, 0x05, 0x0F]
}
