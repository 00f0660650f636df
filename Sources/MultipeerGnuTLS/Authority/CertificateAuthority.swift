internal import CGnuTLS
public import MultipeerCertificates
public import MultipeerCrypto

/// A small authority of one's own: one root that signs peers' certificates directly.
///
/// Everything that it gives out has passed our own validator first. The person who runs it has to know whether a name
/// belongs to the one that asks.
public struct CertificateAuthority: ~Copyable {
    /// How long an authority lasts unless asked otherwise: ten years.
    public static let defaultAuthorityDays = 3650
    /// How long a peer's certificate lasts unless asked otherwise. There is no revocation, so not for ever.
    public static let defaultPeerDays = 365
    /// The longest validity of anything.
    public static let maximumValidityDays = 7300
    /// How far notBefore lies in the past, for peers whose clocks are slow, in seconds.
    static let backdating: Int64 = 300

    /// The authority's own certificate: what others trust.
    public let certificate: Certificate
    private let fields: CertificateFields
    private let key: NativePrivateKey

    /// Opens an authority from PEM text: the first certificate, and its key.
    public init(certificatePEM: Span<UInt8>, keyPEM: Span<UInt8>) throws(AuthorityError) {
        let (certificate, fields) = try Self.readCertificate(certificatePEM)
        let key: NativePrivateKey
        do throws(CertificateFileError) {
            key = try CertificateLoader.privateKey(pem: keyPEM)
        } catch {
            throw .file(error)
        }
        guard key.subjectPublicKeyInfo() == fields.subjectPublicKeyInfo else { throw .file(.keyDoesNotMatchLeaf) }
        self.certificate = certificate
        self.fields = fields
        self.key = key
    }

    private static func readCertificate(
        _ pem: Span<UInt8>
    ) throws(AuthorityError) -> (Certificate, CertificateFields) {
        let certificates: [Certificate]
        do throws(CertificateFileError) {
            certificates = try CertificateLoader.anchors(pem: pem)
        } catch {
            throw .file(error)
        }
        guard let certificate = certificates.first else { throw .file(.noCertificate) }
        do throws(CertificateRejection) {
            let fields = try CertificateFields(certificate)
            try CertificateProfile.check(fields, .anchor)
            return (certificate, fields)
        } catch {
            throw .notAnAuthority(error)
        }
    }

    /// Makes an authority: version 3, critical basicConstraints with path length 0, keyCertSign and cRLSign.
    ///
    /// Ed25519 unless asked otherwise: openssl and certtool both verify it, and it is the fastest to check.
    /// - Parameters:
    ///   - name: Its common name.
    ///   - now: Seconds since 1970.
    ///   - validityDays: How many days the certificate is valid, from now on.
    ///   - secrets: Gives the memory for the private key.
    ///   - algorithm: The type of the key to make.
    public static func create(
        name: DisplayName, algorithm: LeafKeyAlgorithm = .ed25519, validityDays: Int = defaultAuthorityDays,
        now: Int64, secrets: any SecretAllocator
    ) throws(AuthorityError) -> IssuedCertificate {
        let (notBefore, notAfter) = try validity(days: validityDays, from: now)
        guard let key = NativePrivateKey.generate(algorithm) else { throw .backendRefused(code: 0) }
        let template = CertificateTemplate(
            commonName: name.description, role: .authority, notBefore: notBefore, notAfter: notAfter)
        let certificate = try CertificateBuilder(template, key: key)
            .sign(issuer: nil, key: key, digest: algorithm.subjectKey.signingDigest)
        do throws(CertificateRejection) {
            try CertificateProfile.check(CertificateFields(certificate), .anchor)
        } catch {
            throw .selfCheckFailed(error)
        }
        return try IssuedCertificate(certificate: certificate, key: key, secrets: secrets)
    }

    /// Makes a key and a certificate for a peer: digitalSignature, clientAuth and serverAuth, and the name
    /// as `PeerNameURI`, and as nothing else (SPEC §10.8).
    /// - Parameter now: Seconds since 1970.
    /// - Parameter validityDays: How many days the certificate is valid, from now on.
    /// - Parameter secrets: Gives the memory for the private key.
    /// - Parameter name: What the peer, or the authority, is called.
    /// - Parameter algorithm: The type of the key to make.
    public func issue(
        to name: DisplayName, algorithm: LeafKeyAlgorithm = .ed25519, validityDays: Int = defaultPeerDays, now: Int64,
        secrets: any SecretAllocator
    ) throws(AuthorityError) -> IssuedCertificate {
        let (notBefore, notAfter) = try Self.validity(days: validityDays, from: now)
        guard notAfter <= fields.notAfter else { throw .outlivesAuthority }
        guard let peerKey = NativePrivateKey.generate(algorithm) else { throw .backendRefused(code: 0) }
        let uri = PeerNameURI.uri(for: name)
        let template = CertificateTemplate(
            commonName: name.description,
            role: .peer(uri: uri),
            // A certificate that is older than its authority would look forged.
            notBefore: max(notBefore, fields.notBefore), notAfter: notAfter)
        guard let issuer = try? NativeCertificate(der: certificate.der) else { throw .notAnAuthority(.malformed) }
        let issued = try CertificateBuilder(template, key: peerKey)
            .sign(issuer: issuer, key: key, digest: fields.key.signingDigest)
        try selfCheck(issued, uri: uri, now: now)
        return try IssuedCertificate(certificate: issued, key: peerKey, secrets: secrets)
    }

    private borrowing func selfCheck(_ issued: Certificate, uri: String, now: Int64) throws(AuthorityError) {
        do throws(CertificateRejection) {
            guard let validator = try? GnuTLSPathValidator(anchors: [certificate], clock: { now }),
                let chain = try? UnverifiedCertificateChain([issued])
            else { throw .malformed }
            _ = try validator.validate(chain, requirements: PathRequirements(expectedNames: [.uri(uri)]))
        } catch {
            throw .selfCheckFailed(error)
        }
    }

    private static func validity(
        days: Int, from now: Int64
    ) throws(AuthorityError) -> (notBefore: Int64, notAfter: Int64) {
        guard (1...maximumValidityDays).contains(days) else { throw .validityOutOfRange }
        return (now - backdating, now + Int64(days) * 86_400)
    }
}

extension LeafKeyAlgorithm {
    fileprivate var subjectKey: SubjectKey {
        switch self {
        case .ed25519: .ed25519
        case .ecdsaP256: .p256
        case .ecdsaP384: .p384
        case .rsa: .rsa(bits: 3072)
        }
    }
}

extension SubjectKey {
    /// What an authority with a key of this type hashes with.
    fileprivate var signingDigest: gnutls_digest_algorithm_t {
        switch self {
        // Part of the algorithm (RFC 8032 §5.1), and what GnuTLS wants to get.
        case .ed25519, .p521: GNUTLS_DIG_SHA512
        case .p384: GNUTLS_DIG_SHA384
        case .p256, .rsa, .other: GNUTLS_DIG_SHA256
        }
    }
}
