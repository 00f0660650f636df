public import MultipeerCertificates
public import MultipeerCrypto

extension CertificateLoader {
    /// Reads a private key and checks that it is the one of `leaf`.
    /// - Parameters:
    ///   - keyPEM: The private key.
    ///   - leaf: The certificate of the key.
    ///   - ed25519: Takes an Ed25519 key over from GnuTLS.
    public static func signer(
        keyPEM: Span<UInt8>, for leaf: Certificate, ed25519: (any IdentitySignerFactory)?
    ) throws(CertificateFileError) -> any BindingSigner {
        guard let ed25519, let fields = try? CertificateFields(leaf), let publicKey = fields.ed25519Key else {
            return try signer(keyPEM: keyPEM, for: leaf)
        }
        // All checks of the other way first: they say best what is wrong with a file.
        _ = try signer(keyPEM: keyPEM, for: leaf)
        let key = try privateKey(pem: keyPEM)
        guard var seed = key.ed25519Seed() else { throw .malformedPrivateKey }
        defer { NativeMemory.wipe(&seed) }
        let signer: any IdentitySigner
        do throws(CryptoFailure) {
            signer = try ed25519.makeSigner(seed: try ed25519.secretAllocator.makeSecret(copying: seed.span))
        } catch {
            throw .malformedPrivateKey
        }
        guard signer.identityKey == publicKey else { throw .keyDoesNotMatchLeaf }
        return Ed25519BindingSigner(signer)
    }

    /// Reads a private key and checks that it is the one of `leaf`. GnuTLS holds it.
    public static func signer(
        keyPEM: Span<UInt8>, for leaf: Certificate
    ) throws(CertificateFileError) -> GnuTLSBindingSigner {
        guard let fields = try? CertificateFields(leaf) else { throw .malformedCertificate(index: 0) }
        let algorithm: SignatureAlgorithm
        do throws(CertificateRejection) {
            algorithm = try fields.key.bindingAlgorithm()
        } catch {
            throw error == .weakKey ? .weakKey : .unsupportedKeyType
        }
        let key = try privateKey(pem: keyPEM)
        guard let publicHalf = key.subjectPublicKeyInfo() else { throw .malformedPrivateKey }
        guard publicHalf == fields.subjectPublicKeyInfo, signs(key, algorithm, publicHalf: publicHalf) else {
            throw .keyDoesNotMatchLeaf
        }
        return GnuTLSBindingSigner(key, algorithm: algorithm)
    }

    /// Whether the private half belongs to the public one. A file holds both, and GnuTLS believes it.
    private static func signs(
        _ key: borrowing NativePrivateKey, _ algorithm: SignatureAlgorithm, publicHalf: [UInt8]
    ) -> Bool {
        let message = Array("multipeer: is this the key of the leaf?".utf8)
        guard let verifier = try? NativePublicKey(subjectPublicKeyInfo: publicHalf),
            let signature = try? key.sign(message.span, algorithm: algorithm)
        else { return false }
        return verifier.verifies(signature.span, of: message.span, algorithm: algorithm)
    }

    /// Reads the one private key of a PEM text. Certificates, parameters and text beside it are skipped.
    static func privateKey(pem: Span<UInt8>) throws(CertificateFileError) -> sending NativePrivateKey {
        guard pem.count <= maximumKeyLength else { throw .tooLarge(limit: maximumKeyLength) }
        var blocks = try PEM.decode(pem)
        defer {
            for index in blocks.indices { NativeMemory.wipe(&blocks[index].bytes) }
        }
        let keys = blocks.indices.filter { blocks[$0].label.isPrivateKey }
        guard let index = keys.first else { throw .noPrivateKey }
        guard keys.count == 1 else { throw .severalPrivateKeys }
        guard blocks[index].label != .encryptedPrivateKey, !blocks[index].hasEncryptionHeader else {
            throw .encryptedPrivateKey
        }
        let form: NativePrivateKey.Form = blocks[index].label == .privateKey ? .pkcs8 : .traditional
        guard let key = NativePrivateKey.read(der: blocks[index].bytes, form: form) else { throw .malformedPrivateKey }
        return key
    }
}

extension PEMLabel {
    fileprivate var isPrivateKey: Bool {
        switch self {
        case .privateKey, .rsaPrivateKey, .ecPrivateKey, .encryptedPrivateKey: true
        case .certificate, .other: false
        }
    }
}
