import MultipeerCrypto
import MultipeerWire
import Synchronization

/// Verifies each signature once. A hundred members in one process would check the same entries a hundred times, and a quarter
/// of the test's time would go there.
final class RememberingVerifier: IdentitySignatureVerifier {
    private struct Claim: Hashable {
        let signature: [UInt8]
        let message: [UInt8]
        let key: IdentityKey

        /// Signatures that begin alike are rare; equality looks at everything.
        func hash(into hasher: inout Hasher) {
            hasher.combine(signature.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
    }

    private let verifier: any IdentitySignatureVerifier
    private let verdicts = Mutex<[Claim: Bool]>([:])

    init(_ verifier: any IdentitySignatureVerifier) {
        self.verifier = verifier
    }

    func isValid(_ signature: Span<UInt8>, of message: Span<UInt8>, by key: IdentityKey) -> Bool {
        let claim = Claim(signature: [UInt8](copying: signature), message: [UInt8](copying: message), key: key)
        if let known = verdicts.withLock({ $0[claim] }) { return known }
        let verdict = verifier.isValid(signature, of: message, by: key)
        verdicts.withLock { $0[claim] = verdict }
        return verdict
    }
}

extension CryptoProvider {
    /// The same, but each signature is verified once.
    func rememberingSignatures() -> CryptoProvider {
        CryptoProvider(
            secrets: secrets, agreement: agreement, hashing: hashing, bulkDigest: bulkDigest,
            signatures: RememberingVerifier(signatures), chaChaPoly: chaChaPoly, aesGCM: aesGCM)
    }
}
