internal import CSodium
public import MultipeerCrypto

/// ristretto255 (RFC 9496).
public struct Ristretto255: PrimeOrderGroup {
    private let secrets: LockedMemory

    init(secrets: LockedMemory) {
        self.secrets = secrets
    }

    public func makeScalar(random: inout any RandomSource) throws(CryptoFailure) -> GroupScalar {
        var number = try secrets.makeSecret(count: Self.length)
        number.withMutableBytes { bytes in
            random.fill(&bytes)
            // 252 bits: draft-irtf-cfrg-cpace §8.3, SPEC §25.5.
            bytes[Self.length - 1] &= 0x0F
        }
        return GroupScalar(number: number)
    }

    public func makeScalar(rawBytes: Span<UInt8>) throws(CryptoFailure) -> GroupScalar {
        guard rawBytes.count == Self.length else { throw .malformedKey }
        return GroupScalar(number: try secrets.makeSecret(copying: rawBytes))
    }

    public func deriveElement(from uniform: borrowing Secret) throws(CryptoFailure) -> Secret {
        guard uniform.count == 2 * Self.length else { throw .malformedKey }
        var element = try secrets.makeSecret(count: Self.length)
        let status = uniform.withBytes { uniform in
            element.withMutableBytes { element in
                unsafe uniform.withAddress { uniform in
                    // SAFETY: reads 64 bytes and writes 32, which are the lengths of both.
                    unsafe element.withMutableAddress { unsafe crypto_core_ristretto255_from_hash($0, uniform) }
                }
            }
        }
        guard status == 0 else { throw .backendRefused(code: status) }
        return element
    }

    public func multiply(
        _ scalar: borrowing GroupScalar, bySecret element: borrowing Secret
    ) throws(CryptoFailure) -> GroupElement {
        guard scalar.number.count == Self.length, element.count == Self.length else { throw .malformedKey }
        var product = [UInt8](repeating: 0, count: Self.length)
        let status = scalar.number.withBytes { scalar in
            element.withBytes { element in
                unsafe scalar.withAddress { scalar in
                    // SAFETY: all three are 32 bytes, as the function asks.
                    unsafe element.withAddress { unsafe crypto_scalarmult_ristretto255(&product, scalar, $0) }
                }
            }
        }
        guard status == 0 else { throw .malformedKey }
        return try GroupElement(rawBytes: product)
    }

    /// The product with the peer's element.
    ///
    /// libsodium refuses an encoding that is negative, not below the field's prime, or of no element, and a product that
    /// is the identity (32 zero bytes), which covers the identity as the peer's element. Version 1.0.18 ignores the highest
    /// bit, so that an element would have two encodings; RFC 9496 §4.3.1 refuses it, and so does this.
    public func multiply(
        _ scalar: consuming GroupScalar, by element: GroupElement
    ) throws(CryptoFailure) -> Secret {
        guard scalar.number.count == Self.length, element.rawBytes[Self.length - 1] & 0x80 == 0 else {
            throw .malformedKey
        }
        var product = try secrets.makeSecret(count: Self.length)
        let status = scalar.number.withBytes { scalar in
            product.withMutableBytes { product in
                unsafe scalar.withAddress { scalar in
                    // SAFETY: all three are 32 bytes, as the function asks.
                    unsafe product.withMutableAddress {
                        unsafe crypto_scalarmult_ristretto255($0, scalar, element.rawBytes)
                    }
                }
            }
        }
        guard status == 0 else { throw .malformedKey }
        return product
    }

    private static let length = 32
}
