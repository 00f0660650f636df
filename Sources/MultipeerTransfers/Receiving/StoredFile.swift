public import MultipeerCrypto
public import MultipeerStorage

/// A file or folder of the peer that has been stored.
public struct StoredFile: Hashable, Sendable {
    /// The path. Its last component is the offer's local name, which may have a number after it, such as ` (2)`; on a
    /// disk that does not hold that, its portable name (SPEC §15.5).
    public let path: String
    /// What it is called there but for a number that was added because the name was taken.
    public let localName: String
    /// What in a folder has another name than at its sender (R15.8-2).
    public let renamed: RenamedMembers
    /// In bytes; of a folder with its manifest (SPEC §15.8).
    public let size: UInt64
    /// The SHA-256 of all bytes, which both peers have compared.
    public let digest: Digest
    /// Whether a file of this name with these bytes was there before, and has stayed in place of what has come.
    public let isKept: Bool
}
