import MultipeerCertificates

/// > If the extension is present, then the certificate MUST only be used for one of the purposes indicated.
/// > (RFC 5280 §4.2.1.12)
///
/// On an authority the extension narrows what may be issued below it, as every browser reads it.
enum ExtendedKeyUsageRule {
    static func check(_ path: CandidatePath, purpose: PathPurpose) throws(CertificateRejection) {
        for certificate in path.certificates {
            guard let usages = certificate.extensions.extendedKeyUsage else { continue }
            guard usages.contains(where: purpose.allows) else { throw .extendedKeyUsage }
        }
    }
}

extension PathPurpose {
    func allows(_ usage: ObjectIdentifier) -> Bool {
        switch self {
        case .peer: [.clientAuth, .serverAuth, .anyExtendedKeyUsage].contains(usage)
        case .server: [.serverAuth, .anyExtendedKeyUsage].contains(usage)
        case .client: [.clientAuth, .anyExtendedKeyUsage].contains(usage)
        }
    }
}
