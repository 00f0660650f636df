/// What a certificate is to say. Filled by ``CertificateAuthority``, written by ``CertificateBuilder``.
struct CertificateTemplate {
    enum Role {
        /// May sign leaves, but no further authorities.
        case authority
        case peer(uri: String)
    }

    let commonName: String
    let role: Role
    /// Seconds since 1970.
    let notBefore: Int64
    /// Seconds since 1970, inclusive.
    let notAfter: Int64
}
