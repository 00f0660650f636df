import MultipeerCrypto
import Synchronization

/// Cryptography that overlooks what it is told to overlook. For faulty peers only.
final class Leniency: Sendable {
    private let overlooksTags = Mutex(false)

    var isOn: Bool {
        get { overlooksTags.withLock { $0 } }
        set { overlooksTags.withLock { $0 = newValue } }
    }

    static func crypto(_ leniency: Leniency, weakKeys: Bool) -> CryptoProvider {
        let crypto = Tools.crypto
        return CryptoProvider(
            secrets: crypto.secrets,
            agreement: weakKeys ? TolerantAgreement(base: crypto.agreement, secrets: crypto.secrets) : crypto.agreement,
            hashing: crypto.hashing, bulkDigest: crypto.bulkDigest, signatures: crypto.signatures,
            chaChaPoly: LenientAEAD(base: crypto.chaChaPoly, leniency: leniency),
            aesGCM: crypto.aesGCM.map { LenientAEAD(base: $0, leniency: leniency) })
    }
}

/// Agrees on zero where it should refuse.
private struct TolerantAgreement: KeyAgreement {
    let base: any KeyAgreement
    let secrets: any SecretAllocator

    func makePrivateKey(random: inout any RandomSource) throws(CryptoFailure) -> AgreementPrivateKey {
        try base.makePrivateKey(random: &random)
    }

    func makePrivateKey(rawBytes: Span<UInt8>) throws(CryptoFailure) -> AgreementPrivateKey {
        try base.makePrivateKey(rawBytes: rawBytes)
    }

    func publicKey(of privateKey: borrowing AgreementPrivateKey) throws(CryptoFailure) -> AgreementPublicKey {
        try base.publicKey(of: privateKey)
    }

    func agree(
        _ privateKey: consuming AgreementPrivateKey, with publicKey: AgreementPublicKey
    ) throws(CryptoFailure) -> Secret {
        do throws(CryptoFailure) {
            return try base.agree(privateKey, with: publicKey)
        } catch .weakPublicKey {
            return try secrets.makeSecret(count: 32)
        }
    }
}

private struct LenientAEAD: AEAD {
    let base: any AEAD
    let leniency: Leniency

    func makeKey(_ secret: consuming Secret) throws(CryptoFailure) -> any AEADKey {
        LenientKey(base: try base.makeKey(secret), leniency: leniency)
    }
}

private final class LenientKey: AEADKey {
    let base: any AEADKey
    let leniency: Leniency

    init(base: any AEADKey, leniency: Leniency) {
        self.base = base
        self.leniency = leniency
    }

    func seal(
        _ buffer: inout MutableSpan<UInt8>, associatedData: Range<Int>, plaintext: Range<Int>, nonce: UInt64
    ) throws(CryptoFailure) {
        try base.seal(&buffer, associatedData: associatedData, plaintext: plaintext, nonce: nonce)
    }

    /// Both ciphers are stream ciphers: to seal a ciphertext again gives the plaintext, whatever its tag.
    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, nonce: UInt64, into plaintext: inout OutputSpan<UInt8>
    ) throws(CryptoFailure) {
        guard leniency.isOn, sealed.count >= 16 else {
            return try base.open(sealed, associatedData: associatedData, nonce: nonce, into: &plaintext)
        }
        var copy: [UInt8] = []
        for index in sealed.indices { copy.append(sealed[index]) }
        var span = copy.mutableSpan
        try base.seal(&span, associatedData: 0..<0, plaintext: 0..<sealed.count - 16, nonce: nonce)
        for index in 0..<sealed.count - 16 { plaintext.append(copy[index]) }
    }
}
