public import MultipeerCertificates

/// What can be said of one certificate without a path: how long it is valid, and whether it keeps the rules of SPEC §10.7 that a
/// certificate keeps by itself. To be trusted takes more: see ``GnuTLSPathValidator``.
public struct CertificateInspection: Hashable, Sendable {
    /// Where a certificate is.
    public enum Role: Hashable, Sendable {
        /// The peer's own.
        case leaf
        /// Signs another, and is signed by another.
        case intermediate
        /// An authority that somebody trusts.
        case anchor
    }

    /// Seconds since 1970.
    public let notBefore: Int64
    /// Seconds since 1970, inclusive.
    public let notAfter: Int64
    /// The first rule that it breaks, whatever the time is.
    public let rejection: CertificateRejection?

    /// - Throws: `CertificateRejection.malformed`.
    public init(_ certificate: Certificate, as role: Role) throws(CertificateRejection) {
        let fields = try CertificateFields(certificate)
        (notBefore, notAfter) = (fields.notBefore, fields.notAfter)
        rejection = Self.rejection(of: fields, role)
    }

    /// Why it is not valid at a time, in seconds since 1970; nil if it is.
    public func rejection(at time: Int64) -> CertificateRejection? {
        if time > notAfter { return .expired }
        return time < notBefore ? .notYetValid : nil
    }

    private static func rejection(of fields: CertificateFields, _ role: Role) -> CertificateRejection? {
        do throws(CertificateRejection) {
            switch role {
            case .leaf: try CertificateProfile.check(fields, .leaf)
            case .intermediate: try CertificateProfile.check(fields, .intermediate)
            case .anchor: try CertificateProfile.check(fields, .anchor)
            }
            if let usages = fields.extensions.extendedKeyUsage {
                guard usages.contains(where: PathPurpose.peer.allows) else { throw .extendedKeyUsage }
            }
            return nil
        } catch {
            return error
        }
    }
}
