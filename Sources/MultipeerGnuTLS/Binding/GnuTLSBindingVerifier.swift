public import MultipeerCertificates

/// Checks binding signatures by GnuTLS.
public struct GnuTLSBindingVerifier: BindingVerifier {
    /// Holds no state.
    public init() {}

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
        let key = try NativePublicKey(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo)
        guard key.verifies(signature, of: message, algorithm: algorithm) else { throw .bindingInvalid }
        guard let fingerprint = leaf.keyFingerprint else { throw .malformed }
        return fingerprint
    }
}
