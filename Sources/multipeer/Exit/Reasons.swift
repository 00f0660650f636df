import MultipeerCertificates
import MultipeerGnuTLS

extension CertificateFileError {
    /// What is wrong, in a clause.
    var reason: String {
        switch self {
        case .tooLarge: "it is too large"
        case .tooManyBlocks: "it has too many blocks"
        case .malformedPEM(let line): "line \(line) is no PEM"
        case .noCertificate: "there is no certificate in it"
        case .malformedCertificate(let index): "certificate number \(index + 1) does not decode"
        case .chain: "the chain is too long"
        case .noPrivateKey: "there is no private key in it"
        case .severalPrivateKeys: "there are several private keys in it"
        case .encryptedPrivateKey: "the private key is under a passphrase"
        case .malformedPrivateKey: "the private key does not decode"
        case .unsupportedKeyType: "the key is of a type that is not supported"
        case .weakKey: "the key is too short"
        case .keyDoesNotMatchLeaf: "the key is not the certificate's"
        }
    }
}

extension AuthorityError {
    /// What is wrong, in a clause.
    var reason: String {
        switch self {
        case .file(let error): "the authority's files: \(error.reason)"
        case .notAnAuthority(let rejection): "the certificate is no authority's (\(rejection))"
        case .validityOutOfRange: "the number of days is out of range"
        case .outlivesAuthority: "the authority ends before the certificate would"
        case .outOfSecretMemory: "there is no memory that can be locked for keys"
        case .backendRefused(let code): "GnuTLS refused (\(code))"
        case .selfCheckFailed(let rejection): "what was made does not pass this side's own checks (\(rejection))"
        }
    }
}
