public import MultipeerCertificates
public import MultipeerCrypto

/// What the tester needs from backends, so that this target names no library.
public struct Toolbox: Sendable {
    /// The primitives.
    public let crypto: CryptoProvider
    /// Where ephemeral keys and dice come from.
    public let random: any RandomSource & Sendable
    /// Makes a new identity.
    public let makeIdentity: @Sendable () throws(CryptoFailure) -> any IdentitySigner
    /// Certificates that the tester may show, at most one a signature algorithm.
    public let certificates: [LocalCertificate]
    /// Checks the bindings of peers' certificates.
    public let bindingVerifier: any BindingVerifier

    /// Joins the parts.
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

    func sha256(_ bytes: [UInt8]) -> [UInt8] { crypto.hashing.hash(bytes.span, [UInt8]().span).rawBytes }
}

/// Which side of the byte stream a peer is (SPEC §4.1).
public enum StreamRole: String, Hashable, Sendable, CaseIterable {
    case initiator, responder

    /// The role in signed bytes (SPEC §9.5).
    public var byte: UInt8 { self == .initiator ? 0 : 1 }
    /// The other side's.
    public var other: StreamRole { self == .initiator ? .responder : .initiator }
}
