public import MultipeerCertificates
public import MultipeerCrypto

/// Checks binding signatures by GnuTLS.
///
/// With a verifier of Ed25519 signatures beside it, that one is asked first, because libsodium is about twice as fast.
/// What it accepts by the strict rules of SPEC §9.6 is valid by RFC 8032 too. What it refuses is for GnuTLS to decide, so
/// that the same signatures are accepted with it and without (SPEC §10.3).
public struct GnuTLSBindingVerifier: BindingVerifier {
    private let strictEd25519: (any IdentitySignatureVerifier)?

    /// Creates a verifier.
    /// - Parameter strictEd25519: Verifies Ed25519 signatures by SPEC §9.6, faster than GnuTLS: `CryptoProvider.signatures`.
    public init(strictEd25519: (any IdentitySignatureVerifier)? = nil) {
        self.strictEd25519 = strictEd25519
    }

    /// SPEC §10.4
    public func verifyBinding(
        _ signature: Span<UInt8>, algorithm: SignatureAlgorithm, over message: Span<UInt8>,
        by chain: UnverifiedCertificateChain
    ) throws(CertificateRejection) -> KeyFingerprint {
        let leaf = try CertificateFields(chain.leaf)
        // The key tells the algorithm; a signature under any other one is refused unseen.
        guard try leaf.key.bindingAlgorithm() == algorithm else { throw .bindingInvalid }
        switch algorithm {
        case .ecdsaP256SHA256, .ecdsaP384SHA384:
            guard ECDSASignatureForm.isDER(signature) else { throw .bindingInvalid }
        case .rsaPSSSHA256, .ed25519: break
        }
        if !isStrictlyValid(signature, of: message, by: leaf) {
            let key = try NativePublicKey(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo)
            guard key.verifies(signature, of: message, algorithm: algorithm) else { throw .bindingInvalid }
        }
        guard let fingerprint = leaf.keyFingerprint else { throw .malformed }
        return fingerprint
    }

    /// Whether this is an Ed25519 signature that the strict verifier accepts. False decides nothing.
    private func isStrictlyValid(
        _ signature: Span<UInt8>, of message: Span<UInt8>, by leaf: CertificateFields
    ) -> Bool {
        guard let strictEd25519, let key = leaf.ed25519Key else { return false }
        return strictEd25519.isValid(signature, of: message, by: key)
    }
}

extension CertificateFields {
    /// The public key, if it is an Ed25519 key.
    var ed25519Key: IdentityKey? {
        guard key == .ed25519 else { return nil }
        // The key is the last field of its SubjectPublicKeyInfo (RFC 8410 §4), and its length was checked there.
        return try? IdentityKey(rawBytes: subjectPublicKeyInfo.suffix(IdentityKey.length))
    }
}
