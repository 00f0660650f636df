/// One block of a PEM text (RFC 7468): what is between `-----BEGIN label-----` and `-----END label-----`.
public struct PEMBlock: Equatable, Sendable {
    /// What the block says that it holds.
    public let label: PEMLabel
    /// The decoded bytes. For a private key this is unguarded memory: its holder wipes it.
    public var bytes: [UInt8]
    /// Whether the block carries the `Proc-Type: 4,ENCRYPTED` header of RFC 1421, as OpenSSL's old key files do.
    public let hasEncryptionHeader: Bool

    /// Creates a block.
    public init(label: PEMLabel, bytes: [UInt8], hasEncryptionHeader: Bool = false) {
        self.label = label
        self.bytes = bytes
        self.hasEncryptionHeader = hasEncryptionHeader
    }
}

/// What a PEM block holds, by the text of its label.
public enum PEMLabel: Equatable, Sendable {
    /// `CERTIFICATE`; also OpenSSL's older `X509 CERTIFICATE`.
    case certificate
    /// `PRIVATE KEY`: PKCS #8 (RFC 5958), in the clear.
    case privateKey
    /// `RSA PRIVATE KEY`: PKCS #1 (RFC 8017).
    case rsaPrivateKey
    /// `EC PRIVATE KEY`: SEC 1 (RFC 5915).
    case ecPrivateKey
    /// `ENCRYPTED PRIVATE KEY`: PKCS #8 under a passphrase.
    case encryptedPrivateKey
    /// Anything else: parameters, requests, public keys. Skipped by readers.
    case other

    /// The text between `BEGIN` and the dashes.
    var text: String {
        switch self {
        case .certificate: "CERTIFICATE"
        case .privateKey: "PRIVATE KEY"
        case .rsaPrivateKey: "RSA PRIVATE KEY"
        case .ecPrivateKey: "EC PRIVATE KEY"
        case .encryptedPrivateKey: "ENCRYPTED PRIVATE KEY"
        case .other: "OTHER"
        }
    }

    init(text: String) {
        switch text {
        case "CERTIFICATE", "X509 CERTIFICATE": self = .certificate
        case "PRIVATE KEY": self = .privateKey
        case "RSA PRIVATE KEY": self = .rsaPrivateKey
        case "EC PRIVATE KEY": self = .ecPrivateKey
        case "ENCRYPTED PRIVATE KEY": self = .encryptedPrivateKey
        default: self = .other
        }
    }
}
