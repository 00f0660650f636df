public import MultipeerCertificates
public import MultipeerCrypto

/// PEM files on disk, with bounds, permissions and atomic writes. A backend parses what is in them. All functions block.
public enum CertificateFiles {
    /// The most bytes of a file with certificates.
    public static let maximumLength = 1_048_576
    /// The most bytes of a file with a private key.
    public static let maximumKeyLength = 65_536

    /// Reads a file with certificates. Links are followed: certificates often lie behind them.
    public static func readCertificates(at path: String) throws(StorageError) -> [UInt8] {
        try BoundedRead.bytes(path, maximumLength: maximumLength, .none, followingLinks: true)
    }

    /// Reads a file with a private key into guarded memory.
    /// - Throws: ``StorageError/Reason/readableByOthers(mode:)`` unless it is its owner's alone.
    public static func readPrivateKey(
        at path: String, secrets: any SecretAllocator
    ) throws(StorageError) -> Secret {
        try BoundedRead.secret(path, maximumLength: maximumKeyLength, followingLinks: true, secrets: secrets)
    }

    /// Writes certificates, leaf first, into a new file.
    public static func create(_ certificates: [Certificate], at path: String) throws(StorageError) {
        let text = PEM.encode(certificates)
        try AtomicFile.write(text.span, to: path, .creating)
    }

    /// Writes the PEM text of a private key into a new file of mode 0600.
    public static func create(privateKeyPEM: borrowing Secret, at path: String) throws(StorageError) {
        try privateKeyPEM.withBytes { (bytes) throws(StorageError) in
            try AtomicFile.write(bytes, to: path, .creating)
        }
    }
}
