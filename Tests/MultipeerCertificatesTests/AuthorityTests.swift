import MultipeerCertificates
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerTestSupport
import Testing

/// An authority of ours in files, as the command line writes it.
private struct OwnAuthority {
    let directory: Scratch
    var certificate: String { directory / "authority.pem" }
    var key: String { directory / "authority.key" }

    init(_ algorithm: LeafKeyAlgorithm) throws {
        directory = try Scratch()
        let made = try CertificateAuthority.create(
            name: DisplayName("Our Authority"), algorithm: algorithm, now: secondsNow(), secrets: lockedMemory)
        _ = try directory.write("authority.pem", made.certificatePEM)
        _ = try directory.write("authority.key", made.privateKeyPEM.copied())
    }

    func open() throws -> CertificateAuthority {
        let (certificate, key) = (try Scratch.read(certificate), try Scratch.read(key))
        return try CertificateAuthority(certificatePEM: certificate.span, keyPEM: key.span)
    }
}

private func error(_ body: () throws -> Void) -> AuthorityError? {
    do {
        try body()
        return nil
    } catch {
        return error as? AuthorityError
    }
}

@Suite("The small authority, SPEC §10.8")
struct AuthorityTests {
    @Test(
        "openssl, certtool and this implementation verify certificates that it issues",
        arguments: LeafKeyAlgorithm.allCases,
        LeafKeyAlgorithm.allCases)
    func issued(authorityKey: LeafKeyAlgorithm, peerKey: LeafKeyAlgorithm) throws {
        let authority = try OwnAuthority(authorityKey)
        let issued = try authority.open().issue(
            to: DisplayName("alice.example"), algorithm: peerKey, now: secondsNow(), secrets: lockedMemory)
        let directory = authority.directory
        let leaf = try directory.write("leaf.pem", issued.certificatePEM)
        let root = try Scratch.read(authority.certificate)
        for purpose in ["sslclient", "sslserver"] {
            try Tool.openssl(
                "verify", "-x509_strict", "-purpose", purpose, "-CAfile", authority.certificate, leaf)
        }
        let chain = try directory.write("chain.pem", issued.certificatePEM + root)
        let verified = try Tool.certtool(
            "--verify", "--load-ca-certificate", authority.certificate, "--infile", leaf)
        #expect(verified.output.contains("Verified. The certificate is trusted."))
        let whole = try Tool.certtool("--verify-chain", "--infile", chain)
        #expect(whole.output.contains("Chain verification output: Verified. The certificate is trusted."))

        // The key belongs to the leaf and signs bindings.
        let keyPEM = issued.privateKeyPEM.copied()
        let local = try CertificateLoader.local(chainPEM: issued.certificatePEM.span, keyPEM: keyPEM.span)
        let signature = try local.signer.sign([1, 2, 3].span)
        _ = try GnuTLSBindingVerifier(strictEd25519: StrictSignatures.verifier).verifyBinding(
            signature.span, algorithm: local.signer.algorithm, over: [1, 2, 3].span, by: local.chain)
    }

    @Test("Certificates read as the profile says")
    func content() throws {
        let authority = try OwnAuthority(.ed25519)
        let root = try Tool.openssl("x509", "-noout", "-text", "-in", authority.certificate).output
        #expect(root.contains("Version: 3 (0x2)"))
        #expect(root.contains("X509v3 Basic Constraints: critical\n                CA:TRUE, pathlen:0"))
        #expect(root.contains("X509v3 Key Usage: critical\n                Certificate Sign, CRL Sign"))
        #expect(root.contains("X509v3 Subject Key Identifier"))
        #expect(root.contains("CN = Our Authority"))

        let issued = try authority.open().issue(
            to: DisplayName("Zoë's laptop"), now: secondsNow(), secrets: lockedMemory)
        let file = try authority.directory.write("leaf.pem", issued.certificatePEM)
        let leaf = try Tool.openssl("x509", "-noout", "-text", "-in", file).output
        #expect(leaf.contains("X509v3 Basic Constraints: critical\n                CA:FALSE"))
        #expect(leaf.contains("X509v3 Key Usage: critical\n                Digital Signature"))
        #expect(leaf.contains("TLS Web Client Authentication, TLS Web Server Authentication"))
        #expect(leaf.contains("URI:multipeer:peer/Zo%C3%AB%27s%20laptop"))
        #expect(!leaf.contains("DNS:"))
        // Nor where the display name would do for a host.
        let host = try authority.open().issue(
            to: DisplayName("peer.example"), now: secondsNow(), secrets: lockedMemory)
        let hostFile = try authority.directory.write("host.pem", host.certificatePEM)
        let text = try Tool.openssl("x509", "-noout", "-text", "-in", hostFile).output
        #expect(text.contains("URI:multipeer:peer/peer.example") && !text.contains("DNS:"))
        #expect(leaf.contains("X509v3 Authority Key Identifier"))
    }

    @Test("Serial numbers are 16 bytes, positive and unique")
    func serials() throws {
        let authority = try OwnAuthority(.ed25519)
        let opened = try authority.open()
        var seen: Set<String> = []
        for _ in 0..<50 {
            let issued = try opened.issue(to: DisplayName("peer"), now: secondsNow(), secrets: lockedMemory)
            let file = try authority.directory.write("leaf.pem", issued.certificatePEM)
            let serial = try Tool.openssl("x509", "-noout", "-serial", "-in", file).output
            #expect(serial.count == "serial=\n".count + 32, "\(serial)")
            seen.insert(serial)
        }
        #expect(seen.count == 50)
    }

    @Test("Validity: backdated a little, bounded, and never longer than the authority's")
    func validity() throws {
        let now: Int64 = 1_800_000_000
        let made = try CertificateAuthority.create(
            name: DisplayName("Short"), validityDays: 10, now: now, secrets: lockedMemory)
        let key = made.privateKeyPEM.copied()
        let authority = try CertificateAuthority(certificatePEM: made.certificatePEM.span, keyPEM: key.span)
        let issued = try authority.issue(to: DisplayName("a"), validityDays: 10, now: now, secrets: lockedMemory)
        let chain = try UnverifiedCertificateChain([issued.certificate])
        for (time, expected) in [
            (now - 301, CertificateRejection.notYetValid), (now - 300, nil), (now + 864_000, nil),
            (now + 864_001, .expired),
        ] {
            let validator = try GnuTLSPathValidator(anchors: [made.certificate]) { time }
            #expect(rejection(of: chain, by: validator) == expected)
        }
        func issue(days: Int, at time: Int64) -> AuthorityError? {
            error {
                _ = try authority.issue(to: DisplayName("a"), validityDays: days, now: time, secrets: lockedMemory)
            }
        }
        #expect(issue(days: 11, at: now) == .outlivesAuthority)
        #expect(issue(days: 0, at: now) == .validityOutOfRange)
        #expect(issue(days: 100_000, at: now) == .validityOutOfRange)
        // An authority that is not valid yet issues nothing, because nobody could use it.
        #expect(issue(days: 1, at: now - 1000) == .selfCheckFailed(.notYetValid))
    }

    @Test("Authorities of openssl issue too; a certificate that is no authority does not")
    func foreignAuthorities() throws {
        func opened(_ authority: TestAuthority) throws -> (certificate: [UInt8], key: [UInt8]) {
            (try Scratch.read(authority.certificateFile), try Scratch.read(authority.keyFile))
        }
        for kind in KeyKind.allCases {
            let root = try TestAuthority("Root", kind)
            let (certificate, key) = try opened(root)
            let authority = try CertificateAuthority(certificatePEM: certificate.span, keyPEM: key.span)
            let issued = try authority.issue(
                to: DisplayName("peer"), validityDays: 30, now: secondsNow(), secrets: lockedMemory)
            let leaf = try root.directory.write("leaf.pem", issued.certificatePEM)
            try Tool.openssl("verify", "-x509_strict", "-CAfile", root.certificateFile, leaf)
        }
        let root = try TestAuthority()
        let (rootCertificate, rootKey) = try opened(root)
        let (leafCertificate, leafKey) = try opened(root.issue())
        #expect(
            error { _ = try CertificateAuthority(certificatePEM: leafCertificate.span, keyPEM: leafKey.span) }
                == .notAnAuthority(.notAnAuthority))
        #expect(
            error { _ = try CertificateAuthority(certificatePEM: rootCertificate.span, keyPEM: leafKey.span) }
                == .file(.keyDoesNotMatchLeaf))
        #expect(
            error { _ = try CertificateAuthority(certificatePEM: rootKey.span, keyPEM: rootKey.span) }
                == .file(.noCertificate))
    }
}
