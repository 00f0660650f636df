public import MultipeerCertificates

/// Why an authority cannot be made, opened or used.
@nonexhaustive
public enum AuthorityError: Error, Equatable, Sendable {
    /// The files of the authority are no certificate with its key.
    case file(CertificateFileError)
    /// The certificate of the file is no authority's (SPEC §10.7), for this reason.
    case notAnAuthority(CertificateRejection)
    /// The validity is not between 1 and ``CertificateAuthority/maximumValidityDays`` days.
    case validityOutOfRange
    /// The authority's own certificate ends before the one that is asked for.
    case outlivesAuthority
    /// The system gave no (lockable) memory for the private key.
    case outOfSecretMemory
    /// GnuTLS made no key or certificate; `code` is its own.
    case backendRefused(code: Int32)
    /// What was made does not pass our own validator. Nothing is given out then.
    case selfCheckFailed(CertificateRejection)
}

extension AuthorityError {
    /// What a person can do about it, one English sentence.
    public var remedy: String {
        switch self {
        case .file(let error): error.remedy
        case .notAnAuthority:
            "Make an authority with: multipeer certificate authority NAME --out DIR."
        case .validityOutOfRange:
            "Ask for 1 to \(CertificateAuthority.maximumValidityDays) days."
        case .outlivesAuthority:
            "Ask for fewer days, or make a new authority."
        case .outOfSecretMemory:
            "Raise the limit of locked memory (ulimit -l)."
        case .backendRefused(let code):
            "Report this with GnuTLS's error number \(code)."
        case .selfCheckFailed:
            "Check the clock and the authority's certificate: openssl x509 -text -in FILE."
        }
    }
}
