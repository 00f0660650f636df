import MultipeerCrypto
import MultipeerSodium

/// Verifies Ed25519 signatures by SPEC §9.6.
enum StrictSignatures {
    static let verifier: any IdentitySignatureVerifier = {
        do { return try SodiumProvider().signatures } catch { fatalError("libsodium does not start: \(error)") }
    }()
}
