import Glibc
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerStorage

/// A certificate and its key in two files of one folder: `STEM.pem` and `STEM.key`.
struct CertificatePair {
    static let authorityStem = "authority"

    let directory: String
    let stem: String

    private var certificatePath: String { "\(directory)/\(stem).pem" }
    private var keyPath: String { "\(directory)/\(stem).key" }

    /// Writes both files or neither. No file is replaced.
    func create(_ issued: borrowing IssuedCertificate) throws(CommandFailure) {
        do throws(StorageError) {
            try PrivateDirectory.prepare(directory)
            try CertificateFiles.create(privateKeyPEM: issued.privateKeyPEM, at: keyPath)
            do throws(StorageError) {
                try CertificateFiles.create([issued.certificate], at: certificatePath)
            } catch {
                // SAFETY: the C string lives for the call. The file is the one that was just created.
                _ = unsafe unlink(keyPath)
                throw error
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Opens the authority that the files describe.
    func openAuthority(secrets: any SecretAllocator) throws(CommandFailure) -> CertificateAuthority {
        let certificate: [UInt8]
        let key: Secret
        do throws(StorageError) {
            certificate = try CertificateFiles.readCertificates(at: certificatePath)
            key = try CertificateFiles.readPrivateKey(at: keyPath, secrets: secrets)
        } catch {
            throw CommandFailure(error)
        }
        do throws(AuthorityError) {
            return try key.withBytes(OpenedAuthority(certificate: certificate).open)
        } catch {
            throw CommandFailure(error)
        }
    }

    func result(
        kind: String, name: DisplayName, _ certificate: Certificate
    ) throws(CommandFailure) -> CertificateResult {
        CertificateResult(
            kind: kind, name: name.description, certificatePath: certificatePath, keyPath: keyPath,
            fingerprint: try CertificateInput.fingerprint(of: certificate, file: certificatePath))
    }
}

extension CommandFailure {
    /// Runs `body`, and turns its failure into a command's.
    static func translating<Value: ~Copyable>(
        _ body: () throws(AuthorityError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(AuthorityError) {
            return try body()
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// This is not a closure, because the compiler (6.3) reports escaping spans in a closure that returns an authority.
private struct OpenedAuthority {
    let certificate: [UInt8]

    func open(_ key: Span<UInt8>) throws(AuthorityError) -> CertificateAuthority {
        try CertificateAuthority(certificatePEM: certificate.span, keyPEM: key)
    }
}
