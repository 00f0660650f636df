internal import CSodium
public import MultipeerCrypto

/// The X25519 function (RFC 7748).
public struct X25519: KeyAgreement {
    private let secrets: LockedMemory

    init(secrets: LockedMemory) {
        self.secrets = secrets
    }

    public func makePrivateKey(random: inout any RandomSource) throws(CryptoFailure) -> AgreementPrivateKey {
        var scalar = try secrets.makeSecret(count: Self.keyLength)
        scalar.withMutableBytes { bytes in random.fill(&bytes) }
        return AgreementPrivateKey(scalar: scalar)
    }

    public func makePrivateKey(rawBytes: Span<UInt8>) throws(CryptoFailure) -> AgreementPrivateKey {
        guard rawBytes.count == Self.keyLength else { throw .malformedKey }
        return AgreementPrivateKey(scalar: try secrets.makeSecret(copying: rawBytes))
    }

    public func publicKey(of privateKey: borrowing AgreementPrivateKey) throws(CryptoFailure) -> AgreementPublicKey {
        guard privateKey.scalar.count == Self.keyLength else { throw .malformedKey }
        var point = [UInt8](repeating: 0, count: Self.keyLength)
        let status = privateKey.scalar.withBytes { scalar in
            // SAFETY: both are 32 bytes, as the function asks.
            unsafe scalar.withAddress { scalar in unsafe crypto_scalarmult_base(&point, scalar) }
        }
        guard status == 0 else { throw .backendRefused(code: status) }
        return try AgreementPublicKey(rawBytes: point)
    }

    /// The shared secret.
    ///
    /// libsodium multiplies with the u-coordinate reduced modulo 2^255−19 after its top bit is masked (RFC 7748 §5), so
    /// that every encoding of a point is accepted, and fails exactly when the product is all zero.
    public func agree(
        _ privateKey: consuming AgreementPrivateKey, with publicKey: AgreementPublicKey
    ) throws(CryptoFailure) -> Secret {
        guard privateKey.scalar.count == Self.keyLength else { throw .malformedKey }
        var product = try secrets.makeSecret(count: Self.keyLength)
        let status = privateKey.scalar.withBytes { scalar in
            product.withMutableBytes { product in
                unsafe scalar.withAddress { scalar in
                    // SAFETY: all three are 32 bytes, as the function asks.
                    unsafe product.withMutableAddress { unsafe crypto_scalarmult($0, scalar, publicKey.rawBytes) }
                }
            }
        }
        guard status == 0 else { throw .weakPublicKey }
        return product
    }

    private static let keyLength = 32
}
