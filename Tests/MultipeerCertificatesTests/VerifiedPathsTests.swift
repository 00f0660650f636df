import MultipeerCertificates
import MultipeerCrypto
import MultipeerTestSupport
import Synchronization
import Testing

@testable import MultipeerGnuTLS

@Suite("Paths that GnuTLS has verified before, docs/decisions/0026")
struct VerifiedPathsTests {
    @Test("A valid path is remembered once, whatever else is asked of it")
    func remembered() throws {
        let root = try TestAuthority()
        let extensions = "basicConstraints=critical,CA:FALSE\nextendedKeyUsage=clientAuth\n"
        let leaf = try root.issue(extensions: extensions).certificate
        let validator = try Self.validator([root])
        for _ in 0..<3 {
            #expect(try Self.rejection(of: leaf, validator) == nil)
            #expect(validator.verified.count == 1)
        }
        let server = PathRequirements(purpose: .server)
        #expect(try Self.rejection(of: leaf, validator, server) == .extendedKeyUsage)
        let named = PathRequirements(expectedNames: [.dns("other.example")])
        #expect(try Self.rejection(of: leaf, validator, named) == .nameMismatch)
        #expect(validator.verified.count == 1)
    }

    @Test("A remembered path is not verified again, here one that was never valid")
    func used() throws {
        let leaf = try Self.forgedLeaf()
        let validator = try Self.validator([leaf.anchor])
        #expect(try Self.rejection(of: leaf.certificate, validator) == .invalidSignature)
        #expect(validator.verified.count == 0)
        let path = CandidatePath(
            below: [try CertificateFields(leaf.certificate)], anchor: try TrustAnchor(leaf.anchor.certificate))
        validator.verified.insert(try #require(path.digest))
        #expect(try Self.rejection(of: leaf.certificate, validator) == nil)
    }

    @Test("A path that GnuTLS refuses is refused again, and is not remembered")
    func refused() throws {
        let leaf = try Self.forgedLeaf()
        let validator = try Self.validator([leaf.anchor])
        for _ in 0..<3 { #expect(try Self.rejection(of: leaf.certificate, validator) == .invalidSignature) }
        #expect(validator.verified.count == 0)
    }

    @Test("A certificate that has expired is refused, though its path is remembered")
    func expired() throws {
        let root = try TestAuthority(days: 3)
        let leaf = try root.issue(days: 1).certificate
        let clock = Mutex(secondsNow())
        let validator = try GnuTLSPathValidator(anchors: [root.certificate]) { clock.withLock { $0 } }
        #expect(try Self.rejection(of: leaf, validator) == nil)
        clock.withLock { $0 += 2 * 86_400 }
        #expect(try Self.rejection(of: leaf, validator) == .expired)
        #expect(validator.verified.count == 1)
    }

    @Test("The anchor is part of the path: another one of the same name does not match")
    func anchors() throws {
        let bare = "subjectKeyIdentifier=none\nbasicConstraints=critical,CA:TRUE\n"
        let (left, right) = (try TestAuthority("Bare", extensions: bare), try TestAuthority("Bare", extensions: bare))
        let leaf = try left.issue(extensions: "basicConstraints=critical,CA:FALSE\nauthorityKeyIdentifier=none\n")
        let validator = try Self.validator([right, left])
        let chain = try UnverifiedCertificateChain([leaf.certificate])
        for _ in 0..<2 {
            let path = try validator.validate(chain, requirements: PathRequirements()).path
            #expect(try path.last == left.certificate)
        }
        #expect(validator.verified.count == 1)
    }

    @Test("The memory holds a limited number of paths; the oldest is dropped first")
    func bounded() throws {
        let held = VerifiedPaths(limit: 4)
        let digests = try (UInt8(0)..<11).map { try Digest(rawBytes: [UInt8](repeating: $0, count: Digest.length)) }
        for (index, digest) in digests.enumerated() {
            held.insert(digest)
            held.insert(digest)
            #expect(held.count == min(index + 1, 4))
            for (other, digest) in digests.enumerated() {
                #expect(held.contains(digest) == (index - 3...index).contains(other))
            }
        }
    }

    @Test("With a limit of zero nothing is remembered")
    func none() throws {
        let root = try TestAuthority()
        let validator = try GnuTLSPathValidator(anchors: [root.certificate], rememberedPaths: 0) { secondsNow() }
        #expect(try Self.rejection(of: root.issue().certificate, validator) == nil)
        #expect(validator.verified.count == 0)
    }

    // MARK: Helpers

    private static func validator(_ anchors: [TestAuthority]) throws -> GnuTLSPathValidator {
        try GnuTLSPathValidator(anchors: anchors.map { try $0.certificate }) { secondsNow() }
    }

    private static func rejection(
        of leaf: Certificate, _ validator: GnuTLSPathValidator, _ requirements: PathRequirements = PathRequirements()
    ) throws -> CertificateRejection? {
        MultipeerCertificatesTests.rejection(of: try UnverifiedCertificateChain([leaf]), by: validator, requirements)
    }

    /// A leaf whose last byte, which is of the signature, was changed.
    private static func forgedLeaf() throws -> (certificate: Certificate, anchor: TestAuthority) {
        let root = try TestAuthority()
        var der = try root.issue().certificate.der
        der[der.count - 1] ^= 1
        return (Certificate(der: der), root)
    }
}
