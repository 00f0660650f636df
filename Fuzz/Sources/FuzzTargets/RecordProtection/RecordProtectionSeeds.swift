import FuzzSupport
import MultipeerVectors

/// Lists of operations around every kind of counter, with the plaintexts of the vectors.
enum RecordProtectionSeeds {
    static func make(_ vectors: VectorSet) -> [[UInt8]] {
        let texts = vectors.bytes(of: .frames).filter { (2...60).contains($0.count) }.prefix(8)
        return beginnings.enumerated().flatMap { index, beginning in
            scripts.enumerated().map { turn, script in
                let text = texts.isEmpty ? [0x05, 0x00] : texts[(index + turn) % texts.count]
                let seal = { (code: UInt8) in [code, UInt8(text.count)] + text + [0x00] }
                return beginning + seal(0x00) + seal(0x84) + script + seal(0x00)
            }
        }
    }

    /// Suite, where the counter begins, key.
    private static let beginnings: [[UInt8]] = [
        [0x00, 7], [0x01, 7], [0x0A, 0x00, 7], [0x0B, 0x05, 7], [0x0C, 7], [0x0D, 7],
        [0x06, 0, 0, 1, 0, 0, 0, 0, 0, 7],
    ]

    private static let scripts: [[UInt8]] = [
        [2, 2], [3, 9, 1, 2, 2], [4, 0, 25, 2], [5, 4, 2, 2], [2, 6, 0, 2], [6, 1, 2, 2], [7, 0, 0, 2], [8, 2, 8],
        [9, 18] + [UInt8](repeating: 0, count: 18) + [2, 2], [10, 1, 2, 10, 0], [11, 5, 0, 2, 2], [2, 2, 6, 0, 6, 1],
    ]
}
