import MultipeerTestSupport
import Synchronization

/// An authority made by openssl, and what it issues. All files stay while it lives.
final class OpenSSLAuthority: Sendable {
    typealias Kind = KeyKind

    private let root: TestAuthority
    private let issued = Mutex<[TestAuthority]>([])
    var scratch: Scratch { root.directory }
    var certificate: String { root.certificateFile }

    /// A leaf's files.
    struct Leaf: Sendable {
        let certificate: String
        let key: String
        /// As `openssl` makes it, not as the tool does.
        let fingerprint: String

        var arguments: [String] { ["--certificate", certificate, "--key", key] }
    }

    init(_ name: String) async throws { root = try TestAuthority(name) }

    /// - Parameter isExpired: Whether its last day is long over.
    func issue(_ name: String, _ kind: KeyKind = .ed25519, isExpired: Bool = false) async throws -> Leaf {
        typealias Tool = MultipeerTestSupport.Tool
        let leaf = try root.issue(name, kind, isExpired: isExpired)
        issued.withLock { $0.append(leaf) }
        let text = try Tool.openssl("x509", "-in", leaf.certificateFile, "-noout", "-pubkey").output
        let (publicKey, der) = (try leaf.directory.write("public.pem", text), leaf.directory / "public.der")
        try Tool.openssl("pkey", "-pubin", "-in", publicKey, "-outform", "DER", "-out", der)
        return Leaf(
            certificate: leaf.certificateFile, key: leaf.keyFile,
            fingerprint: "sha256:" + (try Tool.openssl("dgst", "-sha256", "-r", der).output.prefix(64)))
    }
}
