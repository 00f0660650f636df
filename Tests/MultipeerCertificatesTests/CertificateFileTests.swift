import MultipeerCertificates
import MultipeerGnuTLS
import MultipeerTestSupport
import Testing

private func loadError(chain: [UInt8], key: [UInt8]) -> CertificateFileError? {
    do throws(CertificateFileError) {
        _ = try CertificateLoader.local(chainPEM: chain.span, keyPEM: key.span)
        return nil
    } catch {
        return error
    }
}

@Suite("Certificate and key files, SPEC §10.2")
struct CertificateFileTests {
    @Test("Keys load in PKCS #8, SEC 1 and PKCS #1", arguments: KeyKind.allCases)
    func keyForms(kind: KeyKind) throws {
        let made = try MadeCertificate(kind, by: .openssl)
        let chain = try Scratch.read(made.certificate)
        #expect(loadError(chain: chain, key: try Scratch.read(made.key)) == nil)
        let traditional = made.directory / "traditional.pem"
        // RFC 8410 defines no form but PKCS #8 for Ed25519.
        let form = kind == .ed25519 ? [] : ["-traditional"]
        try Tool.check("openssl", ["pkey", "-in", made.key, "-out", traditional] + form)
        let text = String(decoding: try Scratch.read(traditional), as: UTF8.self)
        switch kind {
        case .rsa2048: #expect(text.contains("BEGIN RSA PRIVATE KEY"))
        case .p256, .p384: #expect(text.contains("BEGIN EC PRIVATE KEY"))
        case .ed25519: #expect(text.contains("BEGIN PRIVATE KEY"))
        }
        #expect(loadError(chain: chain, key: Array(text.utf8)) == nil)
        // Windows line ends, a preamble, parameters and the certificate in one file.
        let windows = text.replacing("\n", with: "\r\n")
        let joined = "Some text\r\n" + windows + String(decoding: chain, as: UTF8.self)
        #expect(loadError(chain: Array(joined.utf8), key: Array(joined.utf8)) == nil)
    }

    @Test("openssl ecparam writes parameters before the key")
    func parameters() throws {
        let directory = try Scratch()
        try Tool.openssl("ecparam", "-name", "prime256v1", "-genkey", "-out", directory / "key")
        try Tool.openssl(
            "req", "-x509", "-new", "-key", directory / "key", "-subj", "/CN=peer", "-out", directory / "leaf")
        let (leaf, key) = (try Scratch.read(directory / "leaf"), try Scratch.read(directory / "key"))
        #expect(String(decoding: key, as: UTF8.self).contains("EC PARAMETERS"))
        #expect(loadError(chain: leaf, key: key) == nil)
    }

    @Test("A key under a passphrase is refused in both forms")
    func encrypted() throws {
        let made = try MadeCertificate(.rsa2048, by: .openssl)
        let chain = try Scratch.read(made.certificate)
        let (new, old) = (made.directory / "new", made.directory / "old")
        try Tool.openssl("pkey", "-in", made.key, "-aes256", "-passout", "pass:secret", "-out", new)
        try Tool.openssl(
            "pkey", "-in", made.key, "-aes256", "-traditional", "-passout", "pass:secret", "-out", old)
        #expect(loadError(chain: chain, key: try Scratch.read(new)) == .encryptedPrivateKey)
        #expect(loadError(chain: chain, key: try Scratch.read(old)) == .encryptedPrivateKey)
        #expect(CertificateFileError.encryptedPrivateKey.remedy.contains("openssl pkey"))
    }

    @Test(
        "A private key that does not match its public key is refused, though GnuTLS reads it",
        arguments: [KeyKind.p256, .p384, .rsa2048])
    func mismatchedHalves(kind: KeyKind) throws {
        let made = try MadeCertificate(kind, by: .openssl)
        let pem = try Scratch.read(made.key)
        var der = try PEM.decode(pem.span)[0].bytes
        // In PKCS #8 of openssl: `d` of SEC 1 after its version, and for RSA a byte of the second prime.
        let size = kind == .p256 ? 32 : 48
        let place =
            kind == .rsa2048
            ? der.count - 3 * 131 - 60
            : try #require(der.indices.first { der[$0...].starts(with: [2, 1, 1, 4, UInt8(size)]) }) + 4 + size
        der[place] ^= 1
        let error = loadError(chain: try Scratch.read(made.certificate), key: PEM.encode(.privateKey, der))
        #expect(error == .keyDoesNotMatchLeaf || (kind == .rsa2048 && error == .malformedPrivateKey))
    }

    @Test("Wrong key, missing key, two keys, missing certificate and garbage are separate errors")
    func wrongFiles() throws {
        let made = try MadeCertificate(.p256, by: .openssl)
        let other = try MadeCertificate(.p256, by: .openssl)
        let edwards = try MadeCertificate(.ed25519, by: .openssl)
        let (chain, key) = (try Scratch.read(made.certificate), try Scratch.read(made.key))
        let otherKey = try Scratch.read(other.key)
        #expect(loadError(chain: chain, key: otherKey) == .keyDoesNotMatchLeaf)
        #expect(loadError(chain: chain, key: try Scratch.read(edwards.key)) == .keyDoesNotMatchLeaf)
        #expect(loadError(chain: chain, key: chain) == .noPrivateKey)
        #expect(loadError(chain: chain, key: key + otherKey) == .severalPrivateKeys)
        #expect(loadError(chain: key, key: key) == .noCertificate)
        #expect(loadError(chain: [], key: key) == .noCertificate)
        #expect(loadError(chain: Array("hello".utf8), key: key) == .noCertificate)
        let rubbish = PEM.encode(.certificate, Array("not a certificate".utf8))
        #expect(loadError(chain: chain + rubbish, key: key) == .malformedCertificate(index: 1))
        #expect(loadError(chain: chain, key: PEM.encode(.privateKey, [1, 2, 3])) == .malformedPrivateKey)
        let nine = Array(repeating: chain, count: 9).flatMap(\.self)
        #expect(loadError(chain: nine, key: key) == .chain(.tooManyCertificates))
        let long = [UInt8](repeating: 0x20, count: CertificateLoader.maximumChainLength + 1)
        #expect(loadError(chain: long, key: key) == .tooLarge(limit: CertificateLoader.maximumChainLength))
        #expect(loadError(chain: chain, key: long) == .tooLarge(limit: CertificateLoader.maximumKeyLength))
    }

    @Test("A leaf key that cannot make a binding is refused")
    func unsupported() throws {
        let directory = try Scratch()
        for (size, expected) in [("1024", CertificateFileError.weakKey), ("2048", nil)] {
            try Tool.openssl("genrsa", "-out", directory / "key", size)
            try Tool.openssl(
                "req", "-x509", "-new", "-key", directory / "key", "-subj", "/CN=peer", "-out", directory / "leaf")
            let (leaf, key) = (try Scratch.read(directory / "leaf"), try Scratch.read(directory / "key"))
            #expect(loadError(chain: leaf, key: key) == expected)
        }
        try Tool.openssl("genpkey", "-algorithm", "ED448", "-out", directory / "key")
        try Tool.openssl(
            "req", "-x509", "-new", "-key", directory / "key", "-subj", "/CN=peer", "-out", directory / "leaf")
        let (leaf, key) = (try Scratch.read(directory / "leaf"), try Scratch.read(directory / "key"))
        #expect(loadError(chain: leaf, key: key) == .unsupportedKeyType)
    }

    @Test("Every prefix of a PEM file is refused or is text without a block")
    func prefixes() throws {
        let made = try MadeCertificate(.ed25519, by: .openssl)
        let (chain, key) = (try Scratch.read(made.certificate), try Scratch.read(made.key))
        // The last byte is the newline after the last dash.
        for length in 0..<(chain.count - 1) {
            let error = loadError(chain: Array(chain.prefix(length)), key: key)
            #expect(error != nil)
        }
        for length in 0..<(key.count - 1) {
            #expect(loadError(chain: chain, key: Array(key.prefix(length))) != nil)
        }
    }
}

@Suite("PEM text, RFC 7468")
struct PEMTests {
    private func decode(_ text: String) throws(CertificateFileError) -> [PEMBlock] {
        let bytes = Array(text.utf8)
        return try PEM.decode(bytes.span)
    }

    @Test("PEM text that is written is read back, at every length")
    func roundTrip() throws {
        for length in 1...200 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 31 + length) }
            let text = PEM.encode(.certificate, bytes)
            #expect(try PEM.decode(text.span) == [PEMBlock(label: .certificate, bytes: bytes)])
        }
    }

    @Test("Damage inside a block is an error at its line")
    func damage() throws {
        let faults: [(String, Int)] = [
            ("-----BEGIN CERTIFICATE-----\n", 1),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n", 2),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END PRIVATE KEY-----\n", 3),
            ("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", 2),
            ("-----BEGIN CERTIFICATE-----\nAAA\n-----END CERTIFICATE-----\n", 3),
            ("-----BEGIN CERTIFICATE-----\nAB==\n-----END CERTIFICATE-----\n", 3),
            ("-----BEGIN CERTIFICATE-----\nAAA=\nAAAA\n-----END CERTIFICATE-----\n", 3),
            ("-----BEGIN CERTIFICATE-----\nAAA==\n-----END CERTIFICATE-----\n", 2),
            ("-----BEGIN CERTIFICATE-----\nA A!\n-----END CERTIFICATE-----\n", 2),
            ("-----BEGIN CERTIFICATE-----\nAAAA\nProc-Type: 4,ENCRYPTED\n-----END CERTIFICATE-----\n", 3),
            ("text\n-----END CERTIFICATE-----\n", 2),
        ]
        for (text, line) in faults {
            #expect(throws: CertificateFileError.malformedPEM(line: line)) { try decode(text) }
        }
    }

    @Test("More blocks than the limit are refused")
    func tooMany() throws {
        let text = String(repeating: "-----BEGIN X-----\nAAAA\n-----END X-----\n", count: PEM.maximumBlocks + 1)
        #expect(throws: CertificateFileError.tooManyBlocks) { try decode(text) }
    }
}
