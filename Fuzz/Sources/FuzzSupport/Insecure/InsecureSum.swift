/// FNV-1a (Fowler, Noll, Vo), 64 bits. Tells accidents apart, and no attacker.
public struct InsecureSum: Sendable {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Of nothing.
    public init() {}

    /// Of these bytes.
    public init(of bytes: Span<UInt8>) { add(bytes) }

    /// Adds bytes.
    public mutating func add(_ bytes: Span<UInt8>) {
        for index in bytes.indices { state = (state ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
    }

    /// Adds a number.
    public mutating func add(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            state = (state ^ (number >> UInt64(shift) & 0xFF)) &* 0x0000_0100_0000_01B3
        }
    }

    /// The sum.
    public var value: UInt64 { state }

    /// The sum, repeated to `count` bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: state >> UInt64($0 % 8 * 8)) }
    }
}
