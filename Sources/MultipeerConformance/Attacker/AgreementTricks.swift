import MultipeerCrypto

/// What the attacker does to its ephemeral key (SPEC §9.4).
public enum AgreementTrick: Hashable, Sendable {
    case none
    /// Shows a key of low order, and computes on with the 32 zero bytes that every agreement with it gives.
    case weak([UInt8])
    /// Sets the highest bit of the key that it shows, which X25519 ignores.
    case highBit

    func crypto(from crypto: CryptoProvider) throws(CryptoFailure) -> CryptoProvider {
        let agreement: any KeyAgreement
        switch self {
        case .none: return crypto
        case .weak(let shown):
            agreement = WeakAgreement(
                base: crypto.agreement, secrets: crypto.secrets, shown: try AgreementPublicKey(rawBytes: shown))
        case .highBit: agreement = HighBitAgreement(base: crypto.agreement)
        }
        return CryptoProvider(
            secrets: crypto.secrets, agreement: agreement, hashing: crypto.hashing, bulkDigest: crypto.bulkDigest,
            signatures: crypto.signatures, chaChaPoly: crypto.chaChaPoly, aesGCM: crypto.aesGCM)
    }

    /// Keys of which every X25519 result is zero: the points of order 1, 2, 4 and 8 on curve and twist, and the encodings of
    /// them that are not canonical (RFC 7748 §6.1 leaves checking to the protocol; SPEC §9.4 asks for it).
    static let weakKeys: [(name: String, bytes: [UInt8])] = [
        ("0", [UInt8](repeating: 0, count: 32)),
        ("1", [1] + [UInt8](repeating: 0, count: 31)),
        ("p-1", [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]),
        ("p", [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]),
        ("p+1", [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]),
        (
            "order-8",
            [
                0xE0, 0xEB, 0x7A, 0x7C, 0x3B, 0x41, 0xB8, 0xAE, 0x16, 0x56, 0xE3, 0xFA, 0xF1, 0x9F, 0xC4, 0x6A, 0xDA,
                0x09, 0x8D, 0xEB, 0x9C, 0x32, 0xB1, 0xFD, 0x86, 0x62, 0x05, 0x16, 0x5F, 0x49, 0xB8, 0x00,
            ]
        ),
    ]
}

/// Agrees on zero with everybody.
private struct WeakAgreement: KeyAgreement {
    let base: any KeyAgreement
    let secrets: any SecretAllocator
    let shown: AgreementPublicKey

    func makePrivateKey(random: inout any RandomSource) throws(CryptoFailure) -> AgreementPrivateKey {
        try base.makePrivateKey(random: &random)
    }

    func makePrivateKey(rawBytes: Span<UInt8>) throws(CryptoFailure) -> AgreementPrivateKey {
        try base.makePrivateKey(rawBytes: rawBytes)
    }

    func publicKey(of privateKey: borrowing AgreementPrivateKey) throws(CryptoFailure) -> AgreementPublicKey { shown }

    func agree(
        _ privateKey: consuming AgreementPrivateKey, with publicKey: AgreementPublicKey
    ) throws(CryptoFailure) -> Secret {
        try secrets.makeSecret(count: AgreementPublicKey.length)
    }
}

/// Honest but for the bit that nobody looks at.
private struct HighBitAgreement: KeyAgreement {
    let base: any KeyAgreement

    func makePrivateKey(random: inout any RandomSource) throws(CryptoFailure) -> AgreementPrivateKey {
        try base.makePrivateKey(random: &random)
    }

    func makePrivateKey(rawBytes: Span<UInt8>) throws(CryptoFailure) -> AgreementPrivateKey {
        try base.makePrivateKey(rawBytes: rawBytes)
    }

    func publicKey(of privateKey: borrowing AgreementPrivateKey) throws(CryptoFailure) -> AgreementPublicKey {
        var bytes = try base.publicKey(of: privateKey).rawBytes
        bytes[31] |= 0x80
        return try AgreementPublicKey(rawBytes: bytes)
    }

    func agree(
        _ privateKey: consuming AgreementPrivateKey, with publicKey: AgreementPublicKey
    ) throws(CryptoFailure) -> Secret {
        try base.agree(privateKey, with: publicKey)
    }
}
