/// A number below the order of edwards25519's large group, for signatures that no honest signer makes. NO SECURITY: times depend on values.
struct EdwardsScalar: Equatable {
    /// Little-endian.
    private var limbs: [UInt64]

    /// 2^252 + 27742317777372353535851937790883648493.
    private static let order: [UInt64] = [0x5812_631A_5CF5_D3ED, 0x14DE_F9DE_A2F7_9CD6, 0, 0x1000_0000_0000_0000]

    private static let zero = EdwardsScalar(limbs: [0, 0, 0, 0])

    private init(limbs: [UInt64]) { self.limbs = limbs }

    /// What is left of a little-endian number of any length.
    init(reducing bytes: [UInt8]) {
        self = Self.zero
        for byte in bytes.reversed() {
            for bit in (0..<8).reversed() {
                self = self + self
                if byte >> bit & 1 == 1 { self = self + EdwardsScalar(limbs: [1, 0, 0, 0]) }
            }
        }
    }

    /// 32 bytes, little-endian.
    var bytes: [UInt8] { limbs.flatMap { limb in (0..<8).map { UInt8(truncatingIfNeeded: limb >> (8 * $0)) } } }

    static func + (one: EdwardsScalar, other: EdwardsScalar) -> EdwardsScalar {
        var (sum, carry) = ([UInt64](), UInt64(0))
        for (left, right) in zip(one.limbs, other.limbs) {
            let (first, isOver) = left.addingReportingOverflow(right)
            let (limb, isOverAgain) = first.addingReportingOverflow(carry)
            sum.append(limb)
            carry = isOver || isOverAgain ? 1 : 0
        }
        return EdwardsScalar(limbs: reduced(sum))
    }

    static func * (one: EdwardsScalar, other: EdwardsScalar) -> EdwardsScalar {
        var product = zero
        for byte in other.bytes.reversed() {
            for bit in (0..<8).reversed() {
                product = product + product
                if byte >> bit & 1 == 1 { product = product + one }
            }
        }
        return product
    }

    /// Of a number below twice the order.
    private static func reduced(_ limbs: [UInt64]) -> [UInt64] {
        var (rest, borrow) = ([UInt64](), UInt64(0))
        for (left, right) in zip(limbs, order) {
            let (first, isUnder) = left.subtractingReportingOverflow(right)
            let (limb, isUnderAgain) = first.subtractingReportingOverflow(borrow)
            rest.append(limb)
            borrow = isUnder || isUnderAgain ? 1 : 0
        }
        return borrow == 1 ? limbs : rest
    }
}
