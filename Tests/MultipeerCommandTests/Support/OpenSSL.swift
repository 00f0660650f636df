import Foundation

/// An authority made by openssl, and what it issues.
struct OpenSSLAuthority: Sendable {
    let scratch: Scratch
    var certificate: String { scratch / "ca.pem" }
    private var key: String { scratch / "ca.key" }

    /// A leaf's files.
    struct Leaf: Sendable {
        let certificate: String
        let key: String
        /// As `openssl` and `sha256sum` make it, not as the tool does.
        let fingerprint: String

        var arguments: [String] { ["--certificate", certificate, "--key", key] }
    }

    enum Kind: String, CaseIterable, Sendable {
        case ed25519, p256, rsa

        fileprivate var arguments: [String] {
            switch self {
            case .ed25519: ["-algorithm", "ED25519"]
            case .p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .rsa: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            }
        }
    }

    init(_ name: String) async throws {
        scratch = try Scratch()
        let extensions = try scratch.write(
            "ca.ext", Array("basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n".utf8))
        try await run(["genpkey"] + Kind.p256.arguments + ["-out", key])
        try await run(["req", "-new", "-key", key, "-subj", "/CN=\(name)", "-out", scratch / "ca.csr"])
        try await run(
            ["x509", "-req", "-in", scratch / "ca.csr", "-signkey", key, "-extfile", extensions, "-days", "30"]
                + ["-out", certificate])
        _ = try scratch.write("index", [])
        _ = try scratch.write("serial", Array("01\n".utf8))
        _ = try scratch.write(
            "ca.conf",
            Array(
                """
                [ca]
                default_ca = one
                [one]
                database = \(scratch / "index")
                serial = \(scratch / "serial")
                new_certs_dir = \(scratch.path)
                certificate = \(certificate)
                private_key = \(key)
                default_md = sha256
                policy = any
                x509_extensions = leaf
                unique_subject = no
                [any]
                commonName = supplied
                [leaf]
                basicConstraints = critical,CA:FALSE
                keyUsage = critical,digitalSignature
                extendedKeyUsage = clientAuth,serverAuth
                subjectAltName = DNS:peer.example

                """.utf8))
    }

    /// - Parameter isExpired: Whether its last day is long over.
    func issue(_ name: String, _ kind: Kind = .ed25519, isExpired: Bool = false) async throws -> Leaf {
        let (certificate, key) = (scratch / "\(name).pem", scratch / "\(name).key")
        try await run(["genpkey"] + kind.arguments + ["-out", key])
        try await run(["req", "-new", "-key", key, "-subj", "/CN=\(name)", "-out", scratch / "\(name).csr"])
        let (from, to) = isExpired ? ("20200101000000Z", "20200201000000Z") : ("20200101000000Z", "20490101000000Z")
        try await run(
            ["ca", "-batch", "-notext", "-config", scratch / "ca.conf", "-in", scratch / "\(name).csr"]
                + ["-startdate", from, "-enddate", to, "-out", certificate])
        let digest = try await run(["x509", "-in", certificate, "-noout", "-pubkey"])
        let der = scratch / "\(name).der"
        let publicKey = try scratch.write("\(name).pub", Array(digest.output.utf8))
        try await run(["pkey", "-pubin", "-in", publicKey, "-outform", "DER", "-out", der])
        let hash = try await run(["dgst", "-sha256", "-r", der])
        return Leaf(certificate: certificate, key: key, fingerprint: "sha256:" + hash.output.prefix(64))
    }

    @discardableResult
    private func run(_ arguments: [String]) async throws -> Tool.Finished {
        let finished = try await Tool(["openssl"] + arguments, program: "/usr/bin/env").finish()
        guard finished.status == 0 else { throw Tool.Failure(description: finished.errors) }
        return finished
    }
}
