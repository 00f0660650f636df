import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDefaults
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerWire

/// What a workload could not do. A benchmark that did not do its work must not pass for a fast one.
public enum WorkloadFailure: Error {
    /// A function of `CReference` refused, with this status.
    case reference(Int32)
    /// A link did not open, or did not deliver.
    case link(LinkFailure?)
    /// The result was not what was sent.
    case wrongResult
}

/// Real peers: real cryptography, real randomness, real certificates.
public struct Peers: Sendable {
    public let sodium: SodiumProvider
    public let crypto: CryptoProvider
    /// The authority that signed both certificates.
    public let authority: Certificate
    /// The two peers, initiator first.
    public let sides: [Side]

    /// One peer.
    public struct Side: Sendable {
        public let name: DisplayName
        public let identity: SodiumIdentity
        /// An Ed25519 certificate of the authority.
        public let certificate: LocalCertificate
        /// The same, as text, for other libraries.
        public let certificatePEM: [UInt8]
        public let keyPEM: [UInt8]
    }

    private let now: Int64

    /// Makes an authority and two peers. `now` is in seconds since 1970.
    public init(now: Int64) throws {
        self.now = now
        sodium = try .standard()
        crypto = try .standard()
        let root = try CertificateAuthority.create(
            name: try DisplayName("Benchmark authority"), now: now, secrets: sodium.secrets)
        authority = root.certificate
        let rootKey = root.privateKeyPEM.withBytes { [UInt8](copying: $0) }
        let issuer = try CertificateAuthority(certificatePEM: root.certificatePEM.span, keyPEM: rootKey.span)
        var sides: [Side] = []
        for name in ["Anna", "Ben"] {
            let displayName = try DisplayName(name)
            var random: any RandomSource = sodium.random
            let issued = try issuer.issue(to: displayName, now: now, secrets: sodium.secrets)
            let key = issued.privateKeyPEM.withBytes { [UInt8](copying: $0) }
            let pem = issued.certificatePEM
            sides.append(
                Side(
                    name: displayName, identity: try SodiumIdentity(random: &random, provider: sodium),
                    certificate: try CertificateLoader.local(
                        chainPEM: pem.span, keyPEM: key.span, ed25519: sodium),
                    certificatePEM: pem, keyPEM: key))
        }
        self.sides = sides
    }

    /// Trusts the authority of both. Unless it remembers paths it has every path verified as if it were new.
    public func pathValidator(remembersPaths: Bool = false) throws -> GnuTLSPathValidator {
        let now = now
        return try GnuTLSPathValidator(anchors: [authority], rememberedPaths: remembersPaths ? 256 : 0) { now }
    }

    /// The suite that peers prefer which speak all.
    public var preferredSuite: Suite? { crypto.preferredSuites.first }

    /// The configuration of a peer that speaks one suite, or all.
    public func configuration(_ side: Int, suite: Suite?) -> LinkConfiguration {
        var configuration = LinkConfiguration(
            identity: sides[side].identity, displayName: sides[side].name, crypto: crypto,
            bindingVerifier: GnuTLSBindingVerifier(strictEd25519: crypto.signatures))
        if let suite { configuration.suites = [suite] }
        return configuration
    }
}
