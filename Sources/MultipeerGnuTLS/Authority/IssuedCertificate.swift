public import MultipeerCertificates
public import MultipeerCrypto

/// A new certificate and its private key.
public struct IssuedCertificate: ~Copyable {
    /// The certificate.
    public let certificate: Certificate
    /// The key as PKCS #8 PEM text, in guarded memory; meant for a file of mode 0600.
    public let privateKeyPEM: Secret

    /// The certificate as PEM text.
    public var certificatePEM: [UInt8] { PEM.encode([certificate]) }

    /// Moves a new key's text into guarded memory and wipes the copies that this makes on the way.
    init(
        certificate: Certificate, key: borrowing NativePrivateKey, secrets: any SecretAllocator
    ) throws(AuthorityError) {
        guard var der = key.pkcs8() else { throw .backendRefused(code: 0) }
        defer { NativeMemory.wipe(&der) }
        var text = PEM.encode(.privateKey, der)
        defer { NativeMemory.wipe(&text) }
        guard var secret = try? secrets.makeSecret(count: text.count) else { throw .outOfSecretMemory }
        secret.withMutableBytes { bytes in
            for index in text.indices { bytes[index] = text[index] }
        }
        self.certificate = certificate
        privateKeyPEM = secret
    }
}
