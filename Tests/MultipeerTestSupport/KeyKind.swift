import MultipeerCertificates

/// The key types of SPEC §10.3, and how the tools make them.
package enum KeyKind: String, CaseIterable, Sendable {
    case rsa2048, p256, p384, ed25519

    package var algorithm: SignatureAlgorithm {
        switch self {
        case .rsa2048: .rsaPSSSHA256
        case .p256: .ecdsaP256SHA256
        case .p384: .ecdsaP384SHA384
        case .ed25519: .ed25519
        }
    }

    package var opensslArguments: [String] {
        switch self {
        case .rsa2048: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
        case .p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        case .p384: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
        case .ed25519: ["-algorithm", "ED25519"]
        }
    }

    package var certtoolArguments: [String] {
        switch self {
        case .rsa2048: ["--key-type", "rsa", "--bits", "2048"]
        case .p256: ["--key-type", "ecdsa", "--curve", "secp256r1"]
        case .p384: ["--key-type", "ecdsa", "--curve", "secp384r1"]
        case .ed25519: ["--key-type", "ed25519"]
        }
    }

    /// What `openssl pkeyutl` needs to make or check the signature of SPEC §10.3 over the message itself.
    package var pkeyutlArguments: [String] {
        switch self {
        case .rsa2048:
            [
                "-rawin", "-digest", "sha256", "-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", "rsa_pss_saltlen:32",
                "-pkeyopt", "rsa_mgf1_md:sha256",
            ]
        case .p256: ["-rawin", "-digest", "sha256"]
        case .p384: ["-rawin", "-digest", "sha384"]
        case .ed25519: ["-rawin"]
        }
    }
}

/// What made the files.
package enum Maker: String, CaseIterable, Sendable {
    case openssl, certtool
}

/// A self-signed certificate and its key in files, made by a real tool.
package struct MadeCertificate {
    package let directory: Scratch
    package var certificate: String { directory / "leaf.pem" }
    package var key: String { directory / "key.pem" }

    package init(_ kind: KeyKind, by maker: Maker) throws {
        directory = try Scratch()
        switch maker {
        case .openssl:
            try Tool.check("openssl", ["genpkey"] + kind.opensslArguments + ["-out", key])
            try Tool.openssl(
                "req", "-x509", "-new", "-key", key, "-out", certificate, "-subj", "/CN=peer", "-days", "30")
        case .certtool:
            try Tool.check("certtool", ["--generate-privkey"] + kind.certtoolArguments + ["--outfile", key])
            let template = try directory.write("template", "cn = peer\nexpiration_days = 30\nsigning_key\n")
            try Tool.certtool(
                "--generate-self-signed", "--load-privkey", key, "--template", template, "--outfile", certificate)
        }
    }
}
