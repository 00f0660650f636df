/// ML-KEM-768 (FIPS 203), the second half of a hybrid suite (SPEC §7.6).
public protocol KeyEncapsulation: Sendable {
    /// The encapsulation key that belongs to a seed, 1,184 bytes.
    /// - Parameter seed: d ‖ z, 64 bytes.
    /// - Throws: ``CryptoFailure/malformedKey`` for another length.
    func encapsulationKey(of seed: borrowing Secret) throws(CryptoFailure) -> [UInt8]

    /// A new secret, and the ciphertext that carries it to the holder of the seed. The randomness is the library's own.
    /// - Throws: ``CryptoFailure/malformedKey`` for a key that FIPS 203, §7.2, refuses.
    func encapsulate(to encapsulationKey: [UInt8]) throws(CryptoFailure) -> Encapsulation

    /// The secret of a ciphertext, 32 bytes. A ciphertext of another key gives another secret, and no error.
    /// - Throws: ``CryptoFailure/malformedKey`` for a ciphertext that has not 1,088 bytes.
    func decapsulate(_ ciphertext: [UInt8], with seed: borrowing Secret) throws(CryptoFailure) -> Secret
}

/// What encapsulating gives.
public struct Encapsulation: Sendable {
    /// For the wire, 1,088 bytes.
    public let ciphertext: [UInt8]
    /// 32 bytes.
    public let secret: SharedSecret

    /// Puts the two together. Called by backends.
    public init(ciphertext: [UInt8], secret: consuming Secret) {
        self.ciphertext = ciphertext
        self.secret = SharedSecret(secret)
    }
}

/// An ephemeral key of ML-KEM-768. It is a class, so that an initiator can be without one (see ``CryptoProvider``).
package final class EncapsulationKeyPair: Sendable {
    package let encapsulationKey: [UInt8]
    /// The decapsulation key is made of it again when the ciphertext is there: it has 64 bytes, and the key 2,400.
    private let seed: Secret
    private let encapsulation: any KeyEncapsulation

    /// - Throws: ``CryptoFailure/unavailableSuite``, ``CryptoFailure/malformedKey`` unless the seed has 64 bytes.
    package init(seed: consuming Secret, crypto: CryptoProvider) throws(CryptoFailure) {
        guard let encapsulation = crypto.keyEncapsulation else { throw .unavailableSuite }
        encapsulationKey = try encapsulation.encapsulationKey(of: seed)
        self.seed = seed
        self.encapsulation = encapsulation
    }

    /// With a seed from 64 bytes of `random`.
    convenience init(crypto: CryptoProvider, random: inout any RandomSource) throws(CryptoFailure) {
        var seed = try crypto.secrets.makeSecret(count: KeyEncapsulationLength.seed)
        seed.withMutableBytes { bytes in random.fill(&bytes) }
        try self.init(seed: seed, crypto: crypto)
    }

    func decapsulate(_ ciphertext: [UInt8]) throws(CryptoFailure) -> Secret {
        try encapsulation.decapsulate(ciphertext, with: seed)
    }
}

/// Lengths of FIPS 203 that no byte on the wire shows.
public enum KeyEncapsulationLength {
    /// d ‖ z, of which a key pair is made.
    public static let seed = 64
    /// The shared secret.
    public static let secret = 32
}
