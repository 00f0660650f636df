public import MultipeerCertificates
public import MultipeerCrypto
import MultipeerScriptedPeer

/// The cryptography that the tester uses, so that this target names no library.
public struct TesterCryptography: Sendable {
    /// The primitives.
    public let crypto: CryptoProvider
    /// The source of ephemeral keys and other random numbers.
    public let random: any RandomSource & Sendable
    /// Makes a new identity.
    public let makeIdentity: @Sendable () throws(CryptoFailure) -> any IdentitySigner
    /// Certificates that the tester may show, at most one for each signature algorithm.
    public let certificates: [LocalCertificate]
    /// Checks the bindings of peers' certificates.
    public let bindingVerifier: any BindingVerifier

    /// Creates the tester's cryptography from its parts.
    public init(
        crypto: CryptoProvider, random: any RandomSource & Sendable,
        makeIdentity: @escaping @Sendable () throws(CryptoFailure) -> any IdentitySigner,
        certificates: [LocalCertificate], bindingVerifier: any BindingVerifier
    ) {
        self.crypto = crypto
        self.random = random
        self.makeIdentity = makeIdentity
        self.certificates = certificates
        self.bindingVerifier = bindingVerifier
    }

    func sha256(_ bytes: [UInt8]) -> [UInt8] { NoiseSteps(crypto: crypto).sha256(bytes) }
}
