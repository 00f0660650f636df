public import MultipeerCertificates
public import MultipeerCrypto

/// Checks binding signatures by GnuTLS.
///
/// Signatures by Ed25519 keys are the business of another verifier, because SPEC §9.6 holds for them and GnuTLS accepts
/// more (R9.6-2).
public struct GnuTLSBindingVerifier: BindingVerifier {
    private let strictEd25519: any IdentitySignatureVerifier

    /// Creates a verifier.
    /// - Parameter strictEd25519: Verifies Ed25519 signatures by SPEC §9.6: `CryptoProvider.signatures`.
    public init(strictEd25519: any IdentitySignatureVerifier) {
        self.strictEd25519 = strictEd25519
    }

    /// SPEC §10.4
    public func verifyBinding(
        _ signature: Span<UInt8>, algorithm: SignatureAlgorithm, over message: Span<UInt8>,
        by chain: UnverifiedCertificateChain
    ) throws(CertificateRejection) -> KeyFingerprint {
        let leaf = try CertificateFields(chain.leaf)
        // The key determines the algorithm; a signature under any other one is refused unseen.
        guard try leaf.key.bindingAlgorithm() == algorithm else { throw .bindingInvalid }
        switch algorithm {
        case .ecdsaP256SHA256, .ecdsaP384SHA384:
            guard ECDSASignatureForm.isDER(signature) else { throw .bindingInvalid }
        case .rsaPSSSHA256, .ed25519: break
        }
        guard try isValid(signature, algorithm, of: message, by: leaf) else { throw .bindingInvalid }
        guard let fingerprint = leaf.keyFingerprint else { throw .malformed }
        return fingerprint
    }

    private func isValid(
        _ signature: Span<UInt8>, _ algorithm: SignatureAlgorithm, of message: Span<UInt8>, by leaf: CertificateFields
    ) throws(CertificateRejection) -> Bool {
        if let key = leaf.ed25519Key { return strictEd25519.isValid(signature, of: message, by: key) }
        let key = try NativePublicKey(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo)
        return key.verifies(signature, of: message, algorithm: algorithm)
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
