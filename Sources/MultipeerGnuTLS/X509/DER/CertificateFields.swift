import MultipeerCertificates

/// What the rules look at in a certificate. Parsed strictly by us; GnuTLS parses the same bytes again on its own.
struct CertificateFields: Sendable {
    let certificate: Certificate
    /// 1, 2 or 3.
    let version: Int
    /// The content bytes of the serial number.
    let serial: [UInt8]
    /// The AlgorithmIdentifier that is signed.
    let innerSignatureAlgorithm: [UInt8]
    /// The AlgorithmIdentifier beside the signature.
    let outerSignatureAlgorithm: [UInt8]
    let signatureAlgorithm: ObjectIdentifier
    let issuer: DistinguishedName
    let subject: DistinguishedName
    /// Seconds since 1970.
    let notBefore: Int64
    /// Seconds since 1970, inclusive.
    let notAfter: Int64
    /// DER.
    let subjectPublicKeyInfo: [UInt8]
    let key: SubjectKey
    let extensions: CertificateExtensions

    /// Whether issuer and subject are one name (RFC 5280 §3.2).
    var isSelfIssued: Bool { issuer == subject }

    /// Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signatureValue } (RFC 5280 §4.1).
    init(_ certificate: Certificate) throws(CertificateRejection) {
        self.certificate = certificate
        var file = DERReader(certificate.der)
        var outer = try file.enter(DERTag.sequence)
        try file.finish()
        var tbs = try outer.enter(DERTag.sequence)
        (outerSignatureAlgorithm, _) = try Self.algorithm(&outer)
        _ = try outer.octetAlignedBits()
        try outer.finish()

        version = try Self.version(&tbs)
        serial = try tbs.integerBytes()
        (innerSignatureAlgorithm, signatureAlgorithm) = try Self.algorithm(&tbs)
        issuer = try DistinguishedName(&tbs)
        var validity = try tbs.enter(DERTag.sequence)
        notBefore = try validity.time()
        notAfter = try validity.time()
        try validity.finish()
        subject = try DistinguishedName(&tbs)
        subjectPublicKeyInfo = tbs.whole(try tbs.next(DERTag.sequence))
        key = try SubjectKey.read(subjectPublicKeyInfo: subjectPublicKeyInfo)
        // Unique identifiers exist from version 2 on, and are not in use (RFC 5280 §4.1.2.8).
        for number: UInt8 in 1...2 where try tbs.optional(DERTag.context(number)) != nil {
            guard version > 1 else { throw .malformed }
        }
        extensions = try CertificateExtensions(&tbs, version: version)
        try tbs.finish()
    }

    /// > version [0] EXPLICIT Version DEFAULT v1
    private static func version(_ tbs: inout DERReader) throws(CertificateRejection) -> Int {
        guard tbs.nextTag == DERTag.constructed(0) else { return 1 }
        var explicit = try tbs.enter(DERTag.constructed(0))
        let number = try explicit.smallInteger()
        try explicit.finish()
        // DER leaves a default value out.
        guard number == 1 || number == 2 else { throw .malformed }
        return number + 1
    }

    private static func algorithm(
        _ reader: inout DERReader
    ) throws(CertificateRejection) -> (whole: [UInt8], identifier: ObjectIdentifier) {
        let element = try reader.next(DERTag.sequence)
        var fields = reader.inside(element)
        return (reader.whole(element), try fields.objectIdentifier())
    }
}
