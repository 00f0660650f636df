public import MultipeerCrypto

/// A key and a ciphertext are stretched hashes, and the secret is a hash of both: quick, reproducible, and readable for anyone.
/// INSECURE, and for fuzzing only.
public struct InsecureEncapsulation: KeyEncapsulation {
    private let secrets: any SecretAllocator
    private let hashing: any Hashing

    /// With secrets and hashes from there.
    public init(secrets: any SecretAllocator, hashing: any Hashing) {
        (self.secrets, self.hashing) = (secrets, hashing)
    }

    public func encapsulationKey(of seed: borrowing Secret) throws(CryptoFailure) -> [UInt8] {
        guard seed.count == 64 else { throw .malformedKey }
        let bytes = seed.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        var key = stretched(bytes, to: 1_184)
        key[0] &= 0x7F
        return key
    }

    public func encapsulate(to encapsulationKey: [UInt8]) throws(CryptoFailure) -> Encapsulation {
        // As FIPS 203, which refuses some keys.
        guard encapsulationKey.count == 1_184, encapsulationKey[0] < 0x80 else { throw .malformedKey }
        let ciphertext = stretched(encapsulationKey, to: 1_088)
        return Encapsulation(ciphertext: ciphertext, secret: try secret(encapsulationKey, ciphertext))
    }

    public func decapsulate(_ ciphertext: [UInt8], with seed: borrowing Secret) throws(CryptoFailure) -> Secret {
        guard ciphertext.count == 1_088 else { throw .malformedKey }
        return try secret(try encapsulationKey(of: seed), ciphertext)
    }

    private func secret(_ key: [UInt8], _ ciphertext: [UInt8]) throws(CryptoFailure) -> Secret {
        let bytes = hashing.hash(key.span, ciphertext.span).rawBytes
        return try secrets.makeSecret(copying: bytes.span)
    }

    private func stretched(_ seed: [UInt8], to length: Int) -> [UInt8] {
        var (bytes, block): ([UInt8], [UInt8]) = ([], seed)
        while bytes.count < length {
            block = hashing.hash(block.span, [UInt8]().span).rawBytes
            bytes += block
        }
        return Array(bytes.prefix(length))
    }
}
