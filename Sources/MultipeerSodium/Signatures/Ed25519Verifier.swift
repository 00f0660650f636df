internal import CSodium
public import MultipeerCrypto

/// Ed25519 verification (RFC 8032) with libsodium's strictness.
///
/// With signature = R ‖ S and public key A, it is false in each of these cases:
/// - the signature does not have 64 bytes;
/// - S is not less than the group order L (a malleable signature);
/// - R or A encodes a point of small order (1, 2, 4 or 8), in any encoding;
/// - A is not the canonical encoding of a point: its y-coordinate is not less than 2^255−19, or no point of the curve
///   has it;
/// - the equation [S]B = R + [k]A does not hold, with k = SHA-512(R ‖ A ‖ message) mod L.
///
/// The equation is the one *without* the cofactor 8, and is checked by encoding [S]B − [k]A and comparing it with the
/// bytes of R, so that a non-canonical R never passes. A key with a component of small order beside its prime-order
/// part is not looked for: no honest key generation makes one, and the strict equation decides.
public struct Ed25519Verifier: IdentitySignatureVerifier {
    public func isValid(_ signature: Span<UInt8>, of message: Span<UInt8>, by key: IdentityKey) -> Bool {
        guard signature.count == Ed25519.signatureLength else { return false }
        let status = unsafe signature.withAddress { signature in
            // SAFETY: 64 bytes of signature (checked), 32 of key (its type's invariant), `count` of message.
            unsafe message.withAddress { start in
                unsafe crypto_sign_verify_detached(signature, start, UInt64(message.count), key.rawBytes)
            }
        }
        return status == 0
    }
}

/// Lengths of RFC 8032, in bytes.
enum Ed25519 {
    static let seedLength = 32
    static let secretKeyLength = 64
    static let signatureLength = 64
}
