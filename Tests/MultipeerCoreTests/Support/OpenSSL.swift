import MultipeerCertificates
import MultipeerTestSupport

/// Real certificates by openssl: a root that issues leaves of every kind of key.
struct OpenSSL {
    /// Made once: they are slow.
    static let root = Result { try OpenSSL(root: "Root") }
    static let otherRoot = Result { try OpenSSL(root: "Another root") }

    let anchor: Certificate
    private let authority: TestAuthority

    private init(root name: String) throws {
        authority = try TestAuthority(name)
        authority.directory.removeAtExit()
        anchor = try authority.certificate
    }

    /// A leaf of this root with its key.
    func leaf(_ kind: KeyKind, isExpired: Bool = false) throws -> LocalCertificate {
        try authority.issue("peer", kind, isExpired: isExpired).local
    }
}
