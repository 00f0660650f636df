public import MultipeerCrypto

/// A file or folder of the peer that has been stored.
public struct StoredFile: Hashable, Sendable {
    /// The path. Its last component is the offer's local name, which may have a number behind it, such as ` (2)`.
    public let path: String
    /// In bytes; of a folder with its manifest (SPEC §15.8).
    public let size: UInt64
    /// The SHA-256 of all bytes, which both sides have compared.
    public let digest: Digest
}
