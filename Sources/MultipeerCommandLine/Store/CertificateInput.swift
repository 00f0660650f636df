package import MultipeerCertificates
package import MultipeerCrypto
package import MultipeerGnuTLS
import MultipeerStorage

/// Reads PEM files that the command line names.
package enum CertificateInput {
    /// Reads what the local peer shows: a chain, leaf first, and the key of its leaf.
    package static func local(
        certificate: String, key: String, secrets: any SecretAllocator
    ) throws(CommandFailure) -> LocalCertificate {
        let chainText = try read(certificate)
        let chain: UnverifiedCertificateChain
        do throws(CertificateFileError) {
            chain = try CertificateLoader.chain(pem: chainText.span)
        } catch {
            throw CommandFailure(error, file: certificate)
        }
        let sodium = try Cryptography.start()
        let keyText: Secret
        do throws(StorageError) {
            keyText = try CertificateFiles.readPrivateKey(at: key, secrets: secrets)
        } catch {
            throw CommandFailure(error)
        }
        do throws(CertificateFileError) {
            let signer = try keyText.withBytes { (text) throws(CertificateFileError) in
                try CertificateLoader.signer(keyPEM: text, for: chain.leaf, ed25519: sodium)
            }
            return LocalCertificate(chain: chain, signer: signer)
        } catch {
            throw CommandFailure(error, file: key)
        }
    }

    /// Reads at least one certificate, in any order.
    package static func anchors(at path: String) throws(CommandFailure) -> [Certificate] {
        let text = try read(path)
        do throws(CertificateFileError) {
            return try CertificateLoader.anchors(pem: text.span)
        } catch {
            throw CommandFailure(error, file: path)
        }
    }

    /// Reads the authorities of a file, such as a system's, without those that this software cannot use.
    package static func bundle(at path: String) throws(CommandFailure) -> AnchorBundle {
        let text = try read(path)
        do throws(CertificateFileError) {
            return try CertificateLoader.anchorBundle(pem: text.span)
        } catch {
            throw CommandFailure(error, file: path)
        }
    }

    package static func fingerprint(of certificate: Certificate, file: String) throws(CommandFailure) -> KeyFingerprint
    {
        do throws(CertificateRejection) {
            return try CertificateLoader.fingerprint(of: certificate)
        } catch {
            throw CommandFailure(.malformedCertificate(index: 0), file: file)
        }
    }

    private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        do throws(StorageError) {
            return try CertificateFiles.readCertificates(at: path)
        } catch {
            throw CommandFailure(error)
        }
    }
}
