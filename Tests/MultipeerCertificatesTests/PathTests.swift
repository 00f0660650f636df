import MultipeerCertificates
import MultipeerGnuTLS
import MultipeerTestSupport
import Testing

private let intermediateExtensions =
    "basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign\n"
    + "subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n"

@Suite("Paths to trust anchors, SPEC §10.7")
struct PathTests {
    @Test(
        "A leaf of the authority is accepted, of every key type, R10.7-1", arguments: KeyKind.allCases, KeyKind.allCases
    )
    func accepted(rootKind: KeyKind, leafKind: KeyKind) throws {
        let root = try TestAuthority("Root", rootKind)
        #expect(try rejection(of: [root.issue("peer", leafKind)], anchors: [root]) == nil)
    }

    @Test("An intermediate is used at any place in the chain, and missed if it was not sent")
    func intermediates() throws {
        let root = try TestAuthority()
        let other = try TestAuthority("Other")
        let intermediate = try root.issue("Intermediate", extensions: intermediateExtensions)
        let leaf = try intermediate.issue()
        #expect(try rejection(of: [leaf, intermediate], anchors: [root]) == nil)
        #expect(try rejection(of: [leaf, intermediate, root], anchors: [root]) == nil)
        #expect(try rejection(of: [leaf, other, root, intermediate], anchors: [root]) == nil)
        #expect(try rejection(of: [leaf], anchors: [root]) == .unknownAuthority)
        // An authority in the middle may be the anchor itself.
        #expect(try rejection(of: [leaf], anchors: [intermediate]) == nil)
        let narrow = PathRequirements(maximumIntermediates: 0)
        #expect(try rejection(of: [leaf, intermediate], anchors: [root], requirements: narrow) == .pathTooLong)
        // pathlen:0 allows no authority below.
        let deeper = try intermediate.issue("Deeper", extensions: intermediateExtensions)
        #expect(try rejection(of: [deeper.issue(), deeper, intermediate], anchors: [root]) == .pathTooLong)
    }

    @Test("Foreign authorities are refused: another name, the same name, none at all")
    func foreign() throws {
        let root = try TestAuthority("Root")
        let leaf = try root.issue()
        #expect(try rejection(of: [leaf], anchors: [TestAuthority("Other")]) == .unknownAuthority)
        #expect(try rejection(of: [leaf], anchors: []) == .unknownAuthority)
        // Same name, another key: the key identifiers tell them apart, and without them the signature does.
        let twin = try TestAuthority("Root")
        #expect(try rejection(of: [leaf], anchors: [twin]) == .unknownAuthority)
        let bare = "subjectKeyIdentifier=none\nbasicConstraints=critical,CA:TRUE\n"
        let (left, right) = (try TestAuthority("Bare", extensions: bare), try TestAuthority("Bare", extensions: bare))
        let unmarked = try left.issue(extensions: "basicConstraints=critical,CA:FALSE\nauthorityKeyIdentifier=none\n")
        #expect(try rejection(of: [unmarked], anchors: [right]) == .invalidSignature)
        #expect(try rejection(of: [unmarked], anchors: [right, left]) == nil)
    }

    @Test("Times are inclusive at both ends, for leaf, intermediate and anchor")
    func times() throws {
        let before = secondsNow()
        let root = try TestAuthority(days: 3)
        let intermediate = try root.issue("Intermediate", extensions: intermediateExtensions, days: 2)
        let leaf = try intermediate.issue(days: 1)
        let after = secondsNow()
        let day: Int64 = 86_400
        func at(_ time: Int64) throws -> CertificateRejection? {
            try rejection(of: [leaf, intermediate], anchors: [root], at: time)
        }
        #expect(try at(before - 1) == .notYetValid)
        #expect(try at(after) == nil)
        #expect(try at(before + day) == nil)
        #expect(try at(after + day + 1) == .expired)
        // The leaf alone has expired until here; now one of the others does under a leaf that lives longer.
        let long = try intermediate.issue(days: 30)
        #expect(try rejection(of: [long, intermediate], anchors: [root], at: before + 2 * day) == nil)
        #expect(try rejection(of: [long, intermediate], anchors: [root], at: after + 2 * day + 1) == .expired)
        let direct = try root.issue(days: 30)
        #expect(try rejection(of: [direct], anchors: [root], at: before + 3 * day) == nil)
        #expect(try rejection(of: [direct], anchors: [root], at: after + 3 * day + 1) == .expired)
    }

    @Test("Authorities as leaves, and leaves as authorities, are refused")
    func roles() throws {
        let root = try TestAuthority()
        #expect(try rejection(of: [root], anchors: [root]) == .leafIsAuthority)
        let authority = try root.issue("Authority", extensions: intermediateExtensions)
        #expect(try rejection(of: [authority], anchors: [root]) == .leafIsAuthority)
        let signing = "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature,keyCertSign\n"
        #expect(try rejection(of: [root.issue(extensions: signing)], anchors: [root]) == .leafIsAuthority)
        // A leaf that signs another.
        let leaf = try root.issue("First")
        #expect(try rejection(of: [leaf.issue("Second"), leaf], anchors: [root]) == .notAnAuthority)
        // A self-signed leaf is no anchor, even when it is named one; pins are for that.
        let own = try TestAuthority("own", extensions: "basicConstraints=critical,CA:FALSE\n")
        #expect(try rejection(of: [own], anchors: [root]) == .unknownAuthority)
        #expect(try rejection(of: [own], anchors: [own]) == .notAnAuthority)
    }

    @Test("Certificates that GnuTLS accepts and DESIGN §7 forbids are refused")
    func profile() throws {
        let root = try TestAuthority()
        func leaf(_ extensions: String, name: String = "peer", serial: String? = nil) throws -> CertificateRejection? {
            try rejection(of: [root.issue(name, extensions: extensions, serial: serial)], anchors: [root])
        }
        #expect(try leaf("") == .unsupportedVersion)
        #expect(try leaf("keyUsage=critical,keyAgreement\n") == .keyUsage)
        #expect(try leaf("extendedKeyUsage=codeSigning\n") == .extendedKeyUsage)
        #expect(try leaf("extendedKeyUsage=clientAuth\n") == nil)
        #expect(try leaf("extendedKeyUsage=serverAuth\n") == nil)
        #expect(try leaf("extendedKeyUsage=anyExtendedKeyUsage\n") == nil)
        #expect(try leaf("2.5.29.37=DER:30:00\n") == .extendedKeyUsage)
        #expect(try leaf("nameConstraints=permitted;DNS:example\n") == .profileViolation)
        #expect(try leaf("1.2.3.4=critical,DER:05:00\n") == .unknownCriticalExtension)
        #expect(try leaf("1.2.3.4=DER:05:00\n") == nil)
        #expect(try leaf("keyUsage=critical,nonRepudiation\n") == .keyUsage)
        #expect(try leaf("certificatePolicies=critical,1.2.3.4\n") == nil)
        #expect(try leaf("subjectAltName=DNS:under_score.example\n") == .profileViolation)
        #expect(try leaf("subjectAltName=critical,DNS:peer.example\n", name: "") == nil)
        #expect(try leaf("subjectAltName=DNS:peer.example\n", name: "") == .profileViolation)
        #expect(try leaf("basicConstraints=CA:FALSE\n", serial: "0") == .profileViolation)

        let lax = try TestAuthority(extensions: "basicConstraints=CA:TRUE\n")
        #expect(try rejection(of: [lax.issue()], anchors: [lax]) == .notAnAuthority)
        let bare = try TestAuthority(extensions: "subjectKeyIdentifier=hash\n")
        #expect(try rejection(of: [bare.issue()], anchors: [bare]) == .notAnAuthority)
        let useless = try TestAuthority(extensions: "basicConstraints=critical,CA:TRUE\nkeyUsage=cRLSign\n")
        #expect(try rejection(of: [useless.issue()], anchors: [useless]) == .keyUsage)
        let narrow = try TestAuthority(extensions: TestAuthority.rootExtensions + "extendedKeyUsage=codeSigning\n")
        #expect(try rejection(of: [narrow.issue()], anchors: [narrow]) == .extendedKeyUsage)
    }

    @Test(
        "Authorities may hold more than basicConstraints and keyUsage; the Python reference's test_profile_of_issuers agrees",
        arguments: [
            ("extendedKeyUsage=codeSigning", CertificateRejection.extendedKeyUsage),
            ("extendedKeyUsage=clientAuth,codeSigning", nil), ("certificatePolicies=critical,1.2.3.4", nil),
            ("policyConstraints=critical,requireExplicitPolicy:0", .unknownCriticalExtension),
            ("policyConstraints=requireExplicitPolicy:3", .unknownCriticalExtension),
            ("inhibitAnyPolicy=critical,0", .unknownCriticalExtension),
        ] as [(String, CertificateRejection?)])
    func authorityExtensions(extensions: String, expected: CertificateRejection?) throws {
        let root = try TestAuthority()
        let issuer = try root.issue("Issuer", extensions: intermediateExtensions + extensions + "\n")
        let leaf = try issuer.issue()
        #expect(try rejection(of: [leaf, issuer], anchors: [root]) == expected)
        #expect(try rejection(of: [leaf], anchors: [issuer]) == expected)
    }

    @Test("Weak signatures and keys are refused")
    func weakness() throws {
        let root = try TestAuthority("Root", .rsa2048, digest: "sha1")
        // The anchor's own SHA-1 signature proves nothing and harms nothing.
        #expect(try rejection(of: [root.issue()], anchors: [root]) == nil)
        for digest in ["sha1", "md5"] {
            #expect(try rejection(of: [root.issue(digest: digest)], anchors: [root]) == .weakSignature)
        }
        let short = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]
        #expect(try rejection(of: [root.issue(keyArguments: short)], anchors: [root]) == .weakKey)
        let curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"]
        #expect(try rejection(of: [root.issue(keyArguments: curve)], anchors: [root]) == .unsupportedKey)
        let intermediate = try root.issue("Weak", keyArguments: short, extensions: intermediateExtensions)
        #expect(try rejection(of: [intermediate.issue(), intermediate], anchors: [root]) == .weakKey)
    }

    @Test("Purposes restrict the extended key usage")
    func purposes() throws {
        let root = try TestAuthority()
        let client = try root.issue(extensions: "extendedKeyUsage=clientAuth\n")
        let server = try root.issue(extensions: "extendedKeyUsage=serverAuth\n")
        func judge(_ leaf: TestAuthority, _ purpose: PathPurpose) throws -> CertificateRejection? {
            try rejection(of: [leaf], anchors: [root], requirements: PathRequirements(purpose: purpose))
        }
        #expect(try judge(client, .client) == nil)
        #expect(try judge(client, .server) == .extendedKeyUsage)
        #expect(try judge(server, .server) == nil)
        #expect(try judge(server, .client) == .extendedKeyUsage)
        #expect(try judge(client, .peer) == nil)
        #expect(try judge(server, .peer) == nil)
    }

    @Test("Expected names are looked up among the alternative names only")
    func names() throws {
        let root = try TestAuthority()
        let leaf = try root.issue(
            "common.example",
            extensions: "subjectAltName=DNS:host.example,DNS:*.wild.example,IP:127.0.0.1,IP:::1,"
                + "email:Ada@Example.org,URI:multipeer:peer/Ada\n")
        func judge(_ names: ExpectedName...) throws -> CertificateRejection? {
            try rejection(of: [leaf], anchors: [root], requirements: PathRequirements(expectedNames: names))
        }
        #expect(try judge(.dns("HOST.example")) == nil)
        #expect(try judge(.dns("a.wild.example")) == nil)
        #expect(try judge(.ip([127, 0, 0, 1])) == nil)
        #expect(try judge(.ip([UInt8](repeating: 0, count: 15) + [1])) == nil)
        #expect(try judge(.email("Ada@example.ORG")) == nil)
        #expect(try judge(.uri("multipeer:peer/Ada")) == nil)
        #expect(try judge(.dns("host.example"), .ip([127, 0, 0, 1])) == nil)

        #expect(try judge(.dns("common.example")) == .nameMismatch)
        #expect(try judge(.dns("a.b.wild.example")) == .nameMismatch)
        #expect(try judge(.dns("wild.example")) == .nameMismatch)
        #expect(try judge(.dns("*.wild.example")) == .nameMismatch)
        #expect(try judge(.dns("host.example.")) == .nameMismatch)
        #expect(try judge(.dns("127.0.0.1")) == .nameMismatch)
        #expect(try judge(.ip([127, 0, 0, 2])) == .nameMismatch)
        #expect(try judge(.email("ada@example.org")) == .nameMismatch)
        #expect(try judge(.uri("multipeer:peer/ada")) == .nameMismatch)
        #expect(try judge(.dns("host.example"), .dns("other.example")) == .nameMismatch)
    }

    @Test("A certificate without alternative names matches no expected name, whatever its subject says")
    func noNames() throws {
        let root = try TestAuthority()
        let leaf = try root.issue("host.example", extensions: "basicConstraints=CA:FALSE\n")
        func judge(_ names: [ExpectedName]) throws -> CertificateRejection? {
            try rejection(of: [leaf], anchors: [root], requirements: PathRequirements(expectedNames: names))
        }
        #expect(try judge([]) == nil)
        #expect(try judge([.dns("host.example")]) == .nameMismatch)
    }

    @Test("The returned path leads from the leaf to the anchor")
    func path() throws {
        let root = try TestAuthority()
        let intermediate = try root.issue("Intermediate", extensions: intermediateExtensions)
        let leaf = try intermediate.issue()
        let now = secondsNow()
        let validator = try GnuTLSPathValidator(anchors: [root.certificate]) { now }
        let sent = try UnverifiedCertificateChain([leaf.certificate, intermediate.certificate])
        let validated = try validator.validate(sent, requirements: PathRequirements())
        #expect(try validated.path == [leaf.certificate, intermediate.certificate, root.certificate])
    }

    @Test("An anchor that is no certificate is a misuse")
    func malformedAnchor() throws {
        let root = try TestAuthority()
        let good = try root.certificate
        #expect(throws: CertificateFileError.malformedCertificate(index: 1)) {
            try GnuTLSPathValidator(anchors: [good, Certificate(der: [0x30, 0x00])]) { 0 }
        }
    }
}
