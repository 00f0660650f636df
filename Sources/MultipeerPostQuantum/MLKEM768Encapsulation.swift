#if PostQuantum
    internal import Crypto
    internal import FoundationEssentials
    public import MultipeerCrypto
    internal import MultipeerWire

    /// ML-KEM-768 (FIPS 203) by swift-crypto, which is BoringSSL's.
    ///
    /// The library keeps what it computes with, the seed and the decapsulation key among it, in ordinary memory, and does not overwrite
    /// it (docs/decisions/0043). What this adapter holds itself is in guarded memory.
    public struct MLKEM768Encapsulation: KeyEncapsulation {
        private let secrets: any SecretAllocator

        /// - Parameter secrets: Where shared secrets go.
        public init(secrets: any SecretAllocator) { self.secrets = secrets }

        public func encapsulationKey(of seed: borrowing Secret) throws(CryptoFailure) -> [UInt8] {
            [UInt8](try Self.key(of: seed).publicKey.rawRepresentation)
        }

        public func encapsulate(to encapsulationKey: [UInt8]) throws(CryptoFailure) -> Encapsulation {
            guard let key = try? MLKEM768.PublicKey(rawRepresentation: encapsulationKey) else { throw .malformedKey }
            guard let result = try? key.encapsulate() else { throw .backendRefused(code: 0) }
            return Encapsulation(
                ciphertext: [UInt8](result.encapsulated), secret: try guarded(result.sharedSecret))
        }

        public func decapsulate(
            _ ciphertext: [UInt8], with seed: borrowing Secret
        ) throws(CryptoFailure) -> Secret {
            let key = try Self.key(of: seed)
            guard let shared = try? key.decapsulate(ciphertext) else { throw .malformedKey }
            return try guarded(shared)
        }

        private static func key(of seed: borrowing Secret) throws(CryptoFailure) -> MLKEM768.PrivateKey {
            let key = seed.withBytes { bytes in
                try? MLKEM768.PrivateKey(seedRepresentation: [UInt8](copying: bytes), publicKey: nil)
            }
            guard let key else { throw .malformedKey }
            return key
        }

        private func guarded(_ key: SymmetricKey) throws(CryptoFailure) -> Secret {
            var secret = try secrets.makeSecret(count: KeyEncapsulationLength.secret)
            secret.withMutableBytes { copy in
                unsafe key.withUnsafeBytes { bytes in
                    // SAFETY: both have 32 bytes; the pointer is used within the closure alone.
                    for index in copy.indices { copy[index] = unsafe bytes[index] }
                }
            }
            return secret
        }
    }
#endif
