import Foundation
import MultipeerCertificates
import MultipeerGnuTLS

/// An authority made by openssl, with whatever extensions a test wants.
package struct TestAuthority: Sendable {
    package static let rootExtensions =
        "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n"
    package static let leafExtensions =
        "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n"
        + "extendedKeyUsage=clientAuth,serverAuth\nsubjectAltName=DNS:peer.example,URI:multipeer:peer/peer.example\n"
        + "subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n"

    package let directory: Scratch
    package let certificateFile: String
    package let keyFile: String

    /// A self-signed root.
    package init(
        _ name: String = "Root", _ kind: KeyKind = .p256, extensions: String = rootExtensions, days: Int = 365,
        digest: String? = nil
    ) throws {
        directory = try Scratch()
        (certificateFile, keyFile) = (directory / "ca.pem", directory / "ca.key")
        let file = try directory.write("ext", extensions)
        try Tool.check("openssl", ["genpkey"] + kind.opensslArguments + ["-out", keyFile])
        try Tool.openssl("req", "-new", "-key", keyFile, "-subj", "/CN=\(name)", "-out", directory / "csr")
        try Tool.check(
            "openssl",
            ["x509", "-req", "-in", directory / "csr", "-signkey", keyFile, "-extfile", file, "-days", "\(days)"]
                + ["-out", certificateFile] + (digest.map { ["-" + $0] } ?? []))
    }

    private init(directory: Scratch, certificateFile: String, keyFile: String) {
        (self.directory, self.certificateFile, self.keyFile) = (directory, certificateFile, keyFile)
    }

    /// Signs a certificate for a new key; what comes back can itself sign, whether it may or not.
    ///
    /// - Parameter isExpired: Whether its last day is long over. `days` and `serial` do not count then.
    package func issue(
        _ name: String = "peer", _ kind: KeyKind = .p256, keyArguments: [String]? = nil,
        extensions: String = leafExtensions, days: Int = 30, digest: String? = nil, serial: String? = nil,
        isExpired: Bool = false
    ) throws -> TestAuthority {
        let directory = try Scratch()
        let (certificate, key, request) = (directory / "cert.pem", directory / "cert.key", directory / "csr")
        try Tool.check("openssl", ["genpkey"] + (keyArguments ?? kind.opensslArguments) + ["-out", key])
        try Tool.openssl("req", "-new", "-key", key, "-subj", name.isEmpty ? "/" : "/CN=\(name)", "-out", request)
        var arguments =
            isExpired
            ? try expiredArguments(in: directory)
            : ["x509", "-req", "-CA", certificateFile, "-CAkey", keyFile, "-days", "\(days)"]
                + (serial.map { ["-set_serial", $0] } ?? ["-CAcreateserial", "-CAserial", directory / "serial"])
        arguments += ["-in", request, "-out", certificate]
        if !extensions.isEmpty { arguments += ["-extfile", try directory.write("ext", extensions)] }
        try Tool.check("openssl", arguments + (digest.map { ["-" + $0] } ?? []))
        return TestAuthority(directory: directory, certificateFile: certificate, keyFile: key)
    }

    /// openssl 3.0's x509 takes no dates; its ca command does.
    private func expiredArguments(in directory: Scratch) throws -> [String] {
        let configuration = try directory.write(
            "ca.conf",
            """
            [ca]
            default_ca = one
            [one]
            database = \(try directory.write("index", ""))
            serial = \(try directory.write("serial", "1234\n"))
            new_certs_dir = \(directory.path)
            default_md = sha256
            policy = any
            [any]
            commonName = supplied

            """)
        return [
            "ca", "-batch", "-notext", "-config", configuration, "-cert", certificateFile, "-keyfile", keyFile,
            "-startdate", "20200101000000Z", "-enddate", "20200201000000Z",
        ]
    }

    package var certificate: Certificate {
        get throws {
            let pem = try Scratch.read(certificateFile)
            let blocks = try PEM.decode(pem.span)
            return Certificate(der: blocks[0].bytes)
        }
    }

    /// The certificate as a chain of one, with its key.
    package var local: LocalCertificate {
        get throws {
            let (chain, key) = (try Scratch.read(certificateFile), try Scratch.read(keyFile))
            return try CertificateLoader.local(chainPEM: chain.span, keyPEM: key.span)
        }
    }
}

/// Seconds since 1970, now: the tools date their certificates by the real clock.
package func secondsNow() -> Int64 { Int64(Date().timeIntervalSince1970) }
