import Foundation
import MultipeerCertificates
import MultipeerGnuTLS

/// An authority made by openssl, with whatever extensions a test wants.
struct TestAuthority {
    static let rootExtensions =
        "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n"
    static let leafExtensions =
        "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n"
        + "extendedKeyUsage=clientAuth,serverAuth\nsubjectAltName=DNS:peer.example\n"
        + "subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n"

    let directory: TemporaryDirectory
    let certificateFile: String
    let keyFile: String

    /// A self-signed root.
    init(
        _ name: String = "Root", _ kind: KeyKind = .p256, extensions: String = rootExtensions, days: Int = 365,
        digest: String? = nil
    ) throws {
        directory = try TemporaryDirectory()
        (certificateFile, keyFile) = (directory / "ca.pem", directory / "ca.key")
        let file = try directory.write("ext", extensions)
        try Tool.check("openssl", ["genpkey"] + kind.opensslArguments + ["-out", keyFile])
        try Tool.openssl("req", "-new", "-key", keyFile, "-subj", "/CN=\(name)", "-out", directory / "csr")
        try Tool.check(
            "openssl",
            ["x509", "-req", "-in", directory / "csr", "-signkey", keyFile, "-extfile", file, "-days", "\(days)"]
                + ["-out", certificateFile] + (digest.map { ["-" + $0] } ?? []))
    }

    private init(directory: TemporaryDirectory, certificateFile: String, keyFile: String) {
        (self.directory, self.certificateFile, self.keyFile) = (directory, certificateFile, keyFile)
    }

    /// Signs a certificate for a new key; what comes back can itself sign, whether it may or not.
    func issue(
        _ name: String = "peer", _ kind: KeyKind = .p256, keyArguments: [String]? = nil,
        extensions: String = leafExtensions, days: Int = 30, digest: String? = nil, serial: String? = nil
    ) throws -> TestAuthority {
        let directory = try TemporaryDirectory()
        let (certificate, key) = (directory / "cert.pem", directory / "cert.key")
        try Tool.check("openssl", ["genpkey"] + (keyArguments ?? kind.opensslArguments) + ["-out", key])
        try Tool.openssl(
            "req", "-new", "-key", key, "-subj", name.isEmpty ? "/" : "/CN=\(name)", "-out", directory / "csr")
        var arguments = ["x509", "-req", "-in", directory / "csr", "-CA", certificateFile, "-CAkey", keyFile]
        arguments += ["-days", "\(days)", "-out", certificate]
        arguments += serial.map { ["-set_serial", $0] } ?? ["-CAcreateserial", "-CAserial", directory / "serial"]
        if !extensions.isEmpty { arguments += ["-extfile", try directory.write("ext", extensions)] }
        try Tool.check("openssl", arguments + (digest.map { ["-" + $0] } ?? []))
        return TestAuthority(directory: directory, certificateFile: certificate, keyFile: key)
    }

    var certificate: Certificate {
        get throws {
            let pem = try readBytes(certificateFile)
            let blocks = try PEM.decode(pem.span)
            return Certificate(der: blocks[0].bytes)
        }
    }
}

/// Seconds since 1970, now: the tools date their certificates by the real clock.
func secondsNow() -> Int64 { Int64(Date().timeIntervalSince1970) }

/// Validates a chain against anchors and gives the rejection, or nil.
func rejection(
    of chain: [TestAuthority], anchors: [TestAuthority], requirements: PathRequirements = PathRequirements(),
    at time: Int64 = secondsNow()
) throws -> CertificateRejection? {
    let chain = try UnverifiedCertificateChain(chain.map { try $0.certificate })
    let validator = try GnuTLSPathValidator(anchors: anchors.map { try $0.certificate }) { time }
    return rejection(of: chain, by: validator, requirements)
}

func rejection(
    of chain: UnverifiedCertificateChain, by validator: GnuTLSPathValidator,
    _ requirements: PathRequirements = PathRequirements()
) -> CertificateRejection? {
    do throws(CertificateRejection) {
        _ = try validator.validate(chain, requirements: requirements)
        return nil
    } catch {
        return error
    }
}
