import Foundation
import MultipeerCertificates
import MultipeerGnuTLS
import Synchronization

/// Real certificates by openssl: a root that issues leaves of every kind of key.
struct OpenSSL {
    struct Failure: Error {}

    enum Key: String, CaseIterable, Sendable {
        case rsa, p256, p384, ed25519

        fileprivate var arguments: [String] {
            switch self {
            case .rsa: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            case .p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .p384: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
            case .ed25519: ["-algorithm", "ED25519"]
            }
        }
    }

    /// Made once: they are slow.
    static let root = Result { try OpenSSL(root: "Root") }
    static let otherRoot = Result { try OpenSSL(root: "Another root") }

    let anchor: Certificate
    private let directory: URL

    private init(root name: String) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("multipeer-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        Self.removeAtExit(directory.path)
        try "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\nsubjectKeyIdentifier=hash\n".write(
            to: directory.appendingPathComponent("ca.ext"), atomically: true, encoding: .utf8)
        try "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nsubjectAltName=DNS:peer\n".write(
            to: directory.appendingPathComponent("leaf.ext"), atomically: true, encoding: .utf8)
        try Self.run(["genpkey"] + Key.p256.arguments + ["-out", "ca.key"], in: directory)
        try Self.run(["req", "-new", "-key", "ca.key", "-subj", "/CN=\(name)", "-out", "ca.csr"], in: directory)
        try Self.run(
            [
                "x509", "-req", "-in", "ca.csr", "-signkey", "ca.key", "-extfile", "ca.ext", "-days", "30", "-out",
                "ca.pem",
            ],
            in: directory)
        let pem = try Self.bytes(directory.appendingPathComponent("ca.pem"))
        anchor = try CertificateLoader.anchors(pem: pem.span)[0]
    }

    /// A leaf of this root with its key. `days` may be in the past: then it has expired.
    func leaf(_ key: Key, isExpired: Bool = false) throws -> LocalCertificate {
        let name = "leaf-" + UUID().uuidString
        try Self.run(["genpkey"] + key.arguments + ["-out", name + ".key"], in: directory)
        try Self.run(["req", "-new", "-key", name + ".key", "-subj", "/CN=peer", "-out", name + ".csr"], in: directory)
        let dates = isExpired ? ["-not_before", "20200101000000Z", "-not_after", "20200201000000Z"] : ["-days", "10"]
        try issue(name, dates)
        let chain = try Self.bytes(directory.appendingPathComponent(name + ".pem"))
        let secret = try Self.bytes(directory.appendingPathComponent(name + ".key"))
        return try CertificateLoader.local(chainPEM: chain.span, keyPEM: secret.span)
    }

    private func issue(_ name: String, _ dates: [String]) throws {
        let common = ["-CA", "ca.pem", "-CAkey", "ca.key", "-extfile", "leaf.ext", "-out", name + ".pem"]
        if dates[0] == "-days" {
            try Self.run(
                ["x509", "-req", "-in", name + ".csr", "-CAcreateserial", "-CAserial", name + ".srl"] + common + dates,
                in: directory)
            return
        }
        // openssl 3.0's x509 takes no dates; its ca command does.
        let configuration = """
            [ca]\ndefault_ca = d\n[d]\ndatabase = \(name).db\nnew_certs_dir = .\nserial = \(name).serial
            default_md = sha256\npolicy = p\ncertificate = ca.pem\nprivate_key = ca.key\n[p]\ncommonName = supplied\n
            """
        for (file, text) in [(name + ".cnf", configuration), (name + ".db", ""), (name + ".serial", "1234\n")] {
            try text.write(to: directory.appendingPathComponent(file), atomically: true, encoding: .utf8)
        }
        try Self.run(
            [
                "ca", "-batch", "-config", name + ".cnf", "-in", name + ".csr", "-out", name + ".pem", "-extfile",
                "leaf.ext", "-startdate", dates[1], "-enddate", dates[3], "-notext",
            ], in: directory)
    }

    private static let made = Mutex<[String]>([])

    /// Roots live as long as the process, and their files go with it.
    private static func removeAtExit(_ path: String) {
        let isFirst = made.withLock { paths in
            paths.append(path)
            return paths.count == 1
        }
        guard isFirst else { return }
        atexit {
            for path in OpenSSL.made.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    private static func run(_ arguments: [String], in directory: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = directory
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
    }

    private static func bytes(_ url: URL) throws -> [UInt8] { Array(try Data(contentsOf: url)) }
}
