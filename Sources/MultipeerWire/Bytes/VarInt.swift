/// Variable-length integers (SPEC §3.2).
public enum VarInt {
    /// The largest value: 2^62 − 1.
    public static let maximum: UInt64 = 1 << 62 - 1

    /// Returns the length in bytes of the shortest form of `value`, which is the only legal one.
    @inlinable
    public static func length(of value: UInt64) -> Int {
        switch value {
        case 0..<(1 << 6): 1
        case 0..<(1 << 14): 2
        case 0..<(1 << 30): 4
        default: 8
        }
    }
}
