/// A seeded generator (Steele, Lea and Flood 2014), so that every run of a property test sees the same cases.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// `count` bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// `bytes` with one to three small changes: a bit, a byte, an insertion, a removal, a cut.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...below(3) {
            let place = below(bytes.count + 1)
            switch below(5) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
            case 1 where place < bytes.count: bytes[place] = UInt8(below(256))
            case 2 where place < bytes.count: bytes.remove(at: place)
            case 3: bytes.removeSubrange(place...)
            default: bytes.insert(UInt8(below(256)), at: place)
            }
        }
        return bytes
    }
}
