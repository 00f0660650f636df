/// Why files of certificates and keys give no usable certificate. The blame is local: these are our own files.
@nonexhaustive
public enum CertificateFileError: Error, Hashable, Sendable {
    /// The text is longer than `limit` bytes.
    case tooLarge(limit: Int)
    /// More PEM blocks than anybody needs.
    case tooManyBlocks
    /// The PEM text breaks RFC 7468 at this line, counted from 1.
    case malformedPEM(line: Int)
    /// There is no `CERTIFICATE` block.
    case noCertificate
    /// Certificate number `index` of the file, counted from 0, is not X.509 in DER.
    case malformedCertificate(index: Int)
    /// The certificates are over a limit of SPEC §10.2.
    case chain(CertificateChainError)
    /// There is no private key block.
    case noPrivateKey
    /// There is more than one private key block, so which one belongs to the leaf is a guess.
    case severalPrivateKeys
    /// The private key is under a passphrase.
    case encryptedPrivateKey
    /// The private key block does not hold a key of the kind that it names.
    case malformedPrivateKey
    /// The key is of a type that SPEC §10.3 does not list.
    case unsupportedKeyType
    /// The key is shorter than SPEC §10.3 allows.
    case weakKey
    /// The private key is not the one of the first certificate.
    case keyDoesNotMatchLeaf
}

extension CertificateFileError {
    /// What a person can do about it, one English sentence.
    public var remedy: String {
        switch self {
        case .tooLarge(let limit):
            "Give a PEM file of at most \(limit) bytes that holds only the certificates or the key."
        case .tooManyBlocks:
            "Give a PEM file of at most \(PEM.maximumBlocks) blocks."
        case .malformedPEM(let line):
            "Write the file anew in PEM form; line \(line) is damaged or cut off."
        case .noCertificate:
            "Give a PEM file with a CERTIFICATE block; convert DER with: openssl x509 -inform der -in FILE."
        case .malformedCertificate(let index):
            "Replace certificate number \(index + 1) of the file; it is no X.509 certificate."
        case .chain:
            "Keep the leaf and the intermediates in the file, leaf first, at most "
                + "\(UnverifiedCertificateChain.maximumCount); the root belongs to the peer's trust."
        case .noPrivateKey:
            "Give a PEM file with a PRIVATE KEY, EC PRIVATE KEY or RSA PRIVATE KEY block."
        case .severalPrivateKeys:
            "Keep only the key of the first certificate in the file."
        case .encryptedPrivateKey:
            "Remove the passphrase: openssl pkey -in FILE -out NEW, then chmod 600 NEW."
        case .malformedPrivateKey:
            "Write the key file anew; its content is not the key that its label names."
        case .unsupportedKeyType, .weakKey:
            "Use a key of type Ed25519, ECDSA P-256, ECDSA P-384, or RSA with 2048 to 8192 bits."
        case .keyDoesNotMatchLeaf:
            "Give the key that belongs to the first certificate of the chain file; the leaf comes first."
        }
    }
}
