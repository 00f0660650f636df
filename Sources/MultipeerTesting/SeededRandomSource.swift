public import MultipeerCrypto

/// Reproducible bytes from a seed (SplitMix64, Steele et al. 2014). For tests and vectors: NOT RANDOM, NOT SECRET.
public struct SeededRandomSource: RandomSource, Sendable {
    private var state: UInt64

    /// The same seed gives the same bytes.
    public init(seed: UInt64) {
        state = seed
    }

    public mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        var index = 0
        while index < bytes.count {
            var word = next()
            for _ in 0..<min(8, bytes.count - index) {
                bytes[index] = UInt8(truncatingIfNeeded: word)
                word >>= 8
                index += 1
            }
        }
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must be positive.
    public mutating func next(below bound: Int) -> Int {
        Int(truncatingIfNeeded: next() % UInt64(bound))
    }
}
