internal import MultipeerCrypto

/// ML-KEM-768 whose encapsulations are known beforehand: a vector has the responder's ciphertext. NO SECURITY.
struct PresetEncapsulation: KeyEncapsulation {
    private let base: any KeyEncapsulation
    private let secrets: any SecretAllocator
    private let preset: (ciphertext: [UInt8], secret: [UInt8])

    /// The same primitives, with this one.
    static func provider(
        _ crypto: CryptoProvider, ciphertext: [UInt8], secret: [UInt8]
    ) throws(CryptoFailure) -> CryptoProvider {
        guard let base = crypto.keyEncapsulation else { throw .unavailableSuite }
        let preset = PresetEncapsulation(base: base, secrets: crypto.secrets, preset: (ciphertext, secret))
        return CryptoProvider(
            secrets: crypto.secrets, agreement: crypto.agreement, hashing: crypto.hashing,
            bulkDigest: crypto.bulkDigest, signatures: crypto.signatures, chaChaPoly: crypto.chaChaPoly,
            aesGCM: crypto.aesGCM, keyEncapsulation: preset, pairing: crypto.pairing)
    }

    func encapsulationKey(of seed: borrowing Secret) throws(CryptoFailure) -> [UInt8] {
        try base.encapsulationKey(of: seed)
    }

    func encapsulate(to encapsulationKey: [UInt8]) throws(CryptoFailure) -> Encapsulation {
        // The key is judged all the same.
        _ = try base.encapsulate(to: encapsulationKey)
        return Encapsulation(
            ciphertext: preset.ciphertext, secret: try secrets.makeSecret(copying: preset.secret.span))
    }

    func decapsulate(_ ciphertext: [UInt8], with seed: borrowing Secret) throws(CryptoFailure) -> Secret {
        try base.decapsulate(ciphertext, with: seed)
    }
}
