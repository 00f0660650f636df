internal import CSodium
internal import MultipeerCrypto

/// libsodium, started once a process.
enum SodiumLibrary {
    /// What `sodium_init` answered: 0 started now, 1 was started before, −1 refused.
    ///
    /// A lazily made constant, so that the language runs it once however many threads ask.
    private static let status: Int32 = sodium_init()

    /// Whether this build of the library refuses the signatures that SPEC §9.6 forbids.
    private static let isStrict = Ed25519Strictness.isStrict(Ed25519Verifier())

    /// Makes sure that the library runs: the fastest implementations chosen, the random generator ready, signatures
    /// verified strictly (R9.6-3).
    /// - Throws: ``CryptoFailure/backendRefused(code:)``, ``CryptoFailure/lenientSignatures``.
    static func start() throws(CryptoFailure) {
        guard status >= 0 else { throw .backendRefused(code: status) }
        guard isStrict else { throw .lenientSignatures }
    }
}
