import MultipeerCertificates

/// Where a certificate is in a path.
enum PathPosition {
    /// The peer's own.
    case leaf
    /// Signs another, and is signed by another.
    case intermediate
    /// Trusted because the user said so.
    case anchor

    var isAuthority: Bool { self != .leaf }
}

/// One rule that a certificate keeps by itself.
protocol CertificateRule: SendableMetatype {
    /// - Throws: the rejection of a certificate that breaks the rule.
    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection)
}

/// The rules that one certificate must keep, whatever path it is in (SPEC §10.7).
///
/// They hold for anchors too: a root that breaks RFC 5280 was not made by software that we want to believe. An anchor's
/// own signature and serial number are the exceptions, because nobody checks them.
enum CertificateProfile {
    private static let rules: [any CertificateRule.Type] = [
        VersionRule.self, SerialNumberRule.self, SignatureAlgorithmRule.self, KeyRule.self, NameRule.self,
        CriticalExtensionRule.self, BasicConstraintsRule.self, KeyUsageRule.self, SubjectAltNameRule.self,
        NameConstraintsRule.self,
    ]

    /// - Throws: the rejection of the first rule that `certificate` breaks.
    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        for rule in rules { try rule.check(certificate, position) }
    }
}
