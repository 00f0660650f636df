public import MultipeerCrypto

/// The public key is the private one, and the shared secret their exclusive or: quick, reproducible, and readable for
/// anyone. INSECURE, and for fuzzing only.
public struct InsecureAgreement: KeyAgreement {
    private let secrets: any SecretAllocator

    /// With secrets from there.
    public init(secrets: any SecretAllocator) {
        self.secrets = secrets
    }

    public func makePrivateKey(random: inout any RandomSource) throws(CryptoFailure) -> AgreementPrivateKey {
        let bytes = random.bytes(AgreementPublicKey.length)
        return AgreementPrivateKey(scalar: try secret(bytes.span))
    }

    public func makePrivateKey(rawBytes: Span<UInt8>) throws(CryptoFailure) -> AgreementPrivateKey {
        guard rawBytes.count == AgreementPublicKey.length else { throw .malformedKey }
        return AgreementPrivateKey(scalar: try secret(rawBytes))
    }

    public func publicKey(of privateKey: borrowing AgreementPrivateKey) throws(CryptoFailure) -> AgreementPublicKey {
        let bytes = privateKey.scalar.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return try AgreementPublicKey(rawBytes: bytes)
    }

    public func agree(
        _ privateKey: consuming AgreementPrivateKey, with publicKey: AgreementPublicKey
    ) throws(CryptoFailure) -> Secret {
        let shared = privateKey.scalar.withBytes { bytes in bytes.indices.map { bytes[$0] ^ publicKey.rawBytes[$0] } }
        // As X25519, which has points that make every secret zero.
        guard shared.contains(where: { $0 != 0 }) else { throw .weakPublicKey }
        return try secret(shared.span)
    }

    private func secret(_ bytes: Span<UInt8>) throws(CryptoFailure) -> Secret {
        var secret = try secrets.makeSecret(count: bytes.count)
        secret.withMutableBytes { copy in
            for index in bytes.indices { copy[index] = bytes[index] }
        }
        return secret
    }
}
