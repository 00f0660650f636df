public import MultipeerCertificates
public import MultipeerCrypto

/// PEM files on disk, with bounds, permissions and atomic writes. A backend checks their content. The calls block.
public enum CertificateFiles {
    /// The greatest length of a file with certificates, in bytes.
    public static let maximumLength = 1_048_576
    /// The greatest length of a file with a private key, in bytes.
    public static let maximumKeyLength = 65_536

    /// Reads a file with certificates. Symbolic links are followed, because certificates are often installed as links.
    public static func readCertificates(at path: String) throws(StorageError) -> [UInt8] {
        try BoundedRead.bytes(path, maximumLength: maximumLength, .none, followingLinks: true)
    }

    /// Reads a file with a private key into guarded memory.
    /// - Throws: ``StorageError/Reason/readableByOthers(mode:)`` unless only the owner has access to the file.
    public static func readPrivateKey(
        at path: String, secrets: any SecretAllocator
    ) throws(StorageError) -> Secret {
        try BoundedRead.secret(path, maximumLength: maximumKeyLength, followingLinks: true, secrets: secrets)
    }

    /// Writes certificates, leaf first, to a new file.
    public static func create(_ certificates: [Certificate], at path: String) throws(StorageError) {
        let text = PEM.encode(certificates)
        try AtomicFile.write(text.span, to: path, .creating)
    }

    /// Writes the PEM text of a private key to a new file of mode 0600.
    public static func create(privateKeyPEM: borrowing Secret, at path: String) throws(StorageError) {
        try privateKeyPEM.withBytes { (bytes) throws(StorageError) in
            try AtomicFile.write(bytes, to: path, .creating)
        }
    }
}
