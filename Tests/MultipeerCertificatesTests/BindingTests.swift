import MultipeerCertificates
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerTestSupport
import Testing

private let message = Array("label ‖ role ‖ transcript".utf8) + [UInt8](repeating: 0xA5, count: 200)

/// Verifies and gives the error, or nil when the signature is good.
private func rejection(
    _ signature: [UInt8], _ algorithm: SignatureAlgorithm, over message: [UInt8] = message,
    by chain: UnverifiedCertificateChain
) -> CertificateRejection? {
    do throws(CertificateRejection) {
        _ = try GnuTLSBindingVerifier(strictEd25519: StrictSignatures.verifier).verifyBinding(
            signature.span, algorithm: algorithm, over: message.span, by: chain)
        return nil
    } catch {
        return error
    }
}

private func load(_ made: MadeCertificate) throws -> LocalCertificate {
    let (chain, key) = (try Scratch.read(made.certificate), try Scratch.read(made.key))
    return try CertificateLoader.local(chainPEM: chain.span, keyPEM: key.span)
}

@Suite("Certificate binding, SPEC §10.3 and §10.4")
struct BindingTests {
    @Test("Files of both tools load, sign and verify", arguments: KeyKind.allCases, Maker.allCases)
    func roundTrip(kind: KeyKind, maker: Maker) throws {
        let made = try MadeCertificate(kind, by: maker)
        let local = try load(made)
        #expect(local.signer.algorithm == kind.algorithm)
        let signature = try local.signer.sign(message.span)
        #expect(rejection(signature, kind.algorithm, by: local.chain) == nil)
        #expect(rejection(signature, kind.algorithm, over: message + [0], by: local.chain) == .bindingInvalid)
        #expect(rejection([], kind.algorithm, by: local.chain) == .bindingInvalid)
        for index in signature.indices {
            var tampered = signature
            tampered[index] ^= 0x01
            #expect(rejection(tampered, kind.algorithm, by: local.chain) == .bindingInvalid)
        }
    }

    @Test("An ECDSA signature whose numbers or lengths are not DER is refused", arguments: [KeyKind.p256, .p384])
    func signatureForm(kind: KeyKind) throws {
        let local = try load(try MadeCertificate(kind, by: .openssl))
        let signature = try local.signer.sign(message.span)
        // SEQUENCE { INTEGER r, INTEGER s }, with lengths below 128.
        let split = 4 + Int(signature[3])
        let (r, s) = (Array(signature[2..<split]), Array(signature[split...]))
        func padded(_ number: [UInt8]) -> [UInt8] { [0x02, number[1] + 1, 0] + number.dropFirst(2) }
        func sequence(_ content: [UInt8]) -> [UInt8] { [0x30, UInt8(content.count)] + content }
        #expect(rejection(sequence(r + s), kind.algorithm, by: local.chain) == nil)
        let forms = [
            sequence(padded(r) + s), sequence(r + padded(s)), sequence(r + s + [0x05, 0x00]), sequence(r + s) + [0],
            [0x30, 0x81, UInt8(r.count + s.count)] + r + s, sequence(r), sequence(r + s + s),
        ]
        for form in forms { #expect(rejection(form, kind.algorithm, by: local.chain) == .bindingInvalid) }
    }

    @Test("openssl and this implementation verify each other's signatures", arguments: KeyKind.allCases)
    func openssl(kind: KeyKind) throws {
        let made = try MadeCertificate(kind, by: .openssl)
        let local = try load(made)
        let directory = made.directory
        let text = try directory.write("message", message)
        let ours = try directory.write("ours", try local.signer.sign(message.span))
        let publicKey = directory / "public.pem"
        try Tool.openssl("pkey", "-in", made.key, "-pubout", "-out", publicKey)
        try Tool.check(
            "openssl",
            ["pkeyutl", "-verify", "-pubin", "-inkey", publicKey, "-in", text, "-sigfile", ours] + kind.pkeyutlArguments
        )

        let theirs = directory / "theirs"
        try Tool.check(
            "openssl", ["pkeyutl", "-sign", "-inkey", made.key, "-in", text, "-out", theirs] + kind.pkeyutlArguments)
        #expect(rejection(try Scratch.read(theirs), kind.algorithm, by: local.chain) == nil)
    }

    @Test("A PSS salt of another length than 32 is refused", arguments: ["0", "20", "31", "33", "48", "222"])
    func saltLength(salt: String) throws {
        let made = try MadeCertificate(.rsa2048, by: .openssl)
        let local = try load(made)
        let text = try made.directory.write("message", message)
        let signature = made.directory / "signature"
        try Tool.openssl(
            "pkeyutl", "-sign", "-inkey", made.key, "-in", text, "-out", signature, "-rawin", "-digest", "sha256",
            "-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", "rsa_pss_saltlen:\(salt)")
        #expect(rejection(try Scratch.read(signature), .rsaPSSSHA256, by: local.chain) == .bindingInvalid)
    }

    @Test("RSA with PKCS #1 v1.5 padding, or PSS with other hashes, is refused")
    func otherRSAForms() throws {
        let made = try MadeCertificate(.rsa2048, by: .openssl)
        let local = try load(made)
        let text = try made.directory.write("message", message)
        let signature = made.directory / "signature"
        let forms = [
            ["-digest", "sha256"],
            ["-digest", "sha384", "-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", "rsa_pss_saltlen:32"],
            [
                "-digest", "sha256", "-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", "rsa_pss_saltlen:32", "-pkeyopt",
                "rsa_mgf1_md:sha1",
            ],
        ]
        for form in forms {
            try Tool.check(
                "openssl",
                ["pkeyutl", "-sign", "-inkey", made.key, "-in", text, "-out", signature, "-rawin"] + form)
            #expect(rejection(try Scratch.read(signature), .rsaPSSSHA256, by: local.chain) == .bindingInvalid)
        }
    }

    @Test("Only the algorithm of the key's type is accepted", arguments: KeyKind.allCases)
    func algorithmMismatch(kind: KeyKind) throws {
        let local = try load(try MadeCertificate(kind, by: .openssl))
        let signature = try local.signer.sign(message.span)
        for algorithm in SignatureAlgorithm.allCases where algorithm != kind.algorithm {
            #expect(rejection(signature, algorithm, by: local.chain) == .bindingInvalid)
        }
    }

    @Test("Keys that are not in the list of SPEC §10.3 are refused with their reason")
    func unsupportedKeys() throws {
        let cases: [([String], CertificateRejection)] = [
            (["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"], .weakKey),
            (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"], .unsupportedKey),
            (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"], .unsupportedKey),
            (["-algorithm", "ED448"], .unsupportedKey),
            (["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"], .unsupportedKey),
        ]
        for (arguments, expected) in cases {
            let directory = try Scratch()
            try Tool.check("openssl", ["genpkey"] + arguments + ["-out", directory / "key"])
            try Tool.openssl(
                "req", "-x509", "-new", "-key", directory / "key", "-out", directory / "leaf", "-subj", "/CN=peer")
            let pem = try Scratch.read(directory / "leaf")
            let chain = try CertificateLoader.chain(pem: pem.span)
            for algorithm in SignatureAlgorithm.allCases {
                #expect(rejection([1, 2, 3], algorithm, by: chain) == expected)
            }
        }
    }

    @Test("A fingerprint equals the one that openssl prints", arguments: KeyKind.allCases)
    func fingerprint(kind: KeyKind) throws {
        let made = try MadeCertificate(kind, by: .openssl)
        let local = try load(made)
        let key = made.directory / "public.der"
        try Tool.openssl("pkey", "-in", made.key, "-pubout", "-outform", "der", "-out", key)
        let printed = try Tool.openssl("dgst", "-sha256", "-r", key).output.prefix(64)
        let ours = try CertificateLoader.fingerprint(of: local.chain.leaf)
        #expect(ours.description == "sha256:\(printed)")

        let signature = try local.signer.sign(message.span)
        let proved = try GnuTLSBindingVerifier(strictEd25519: StrictSignatures.verifier).verifyBinding(
            signature.span, algorithm: kind.algorithm, over: message.span, by: local.chain)
        #expect(proved == ours)
    }
}
