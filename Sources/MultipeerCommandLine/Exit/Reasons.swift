import MultipeerCertificates
import MultipeerGnuTLS

extension CertificateFileError {
    /// What is wrong, in a clause.
    package var reason: String {
        switch self {
        case .tooLarge: "it is too large"
        case .tooManyBlocks: "it has too many blocks"
        case .malformedPEM(let line): "line \(line) is not PEM"
        case .noCertificate: "it contains no certificate"
        case .malformedCertificate(let index): "certificate number \(index + 1) does not decode"
        case .chain: "the chain is too long"
        case .noPrivateKey: "it contains no private key"
        case .severalPrivateKeys: "it contains several private keys"
        case .encryptedPrivateKey: "the private key is encrypted with a passphrase"
        case .malformedPrivateKey: "the private key does not decode"
        case .unsupportedKeyType: "the type of the key is not supported"
        case .weakKey: "the key is too short"
        case .keyDoesNotMatchLeaf: "the key does not belong to the certificate"
        }
    }
}

extension AuthorityError {
    /// What is wrong, in a clause.
    package var reason: String {
        switch self {
        case .file(let error): "the authority's files: \(error.reason)"
        case .notAnAuthority(let rejection): "the certificate is not an authority's (\(rejection))"
        case .validityOutOfRange: "the number of days is out of range"
        case .outlivesAuthority: "the authority expires before the certificate would"
        case .outOfSecretMemory: "there is no memory that can be locked for keys"
        case .backendRefused(let code): "GnuTLS refused (\(code))"
        case .selfCheckFailed(let rejection): "the new certificate fails this program's own checks (\(rejection))"
        }
    }
}
