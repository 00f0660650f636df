import Glibc

/// What a received file keeps of its sender's beside its bytes, and nothing else (R15.8-3).
struct FileAttributes: Equatable, Sendable {
    /// Whether those who may read the file may execute it.
    var isExecutable = false
    /// When the content was last changed, in seconds since 1970; 0 if that is unknown.
    var modified: UInt64 = 0

    /// Gives them to a file of mode 0600, behind its last byte.
    func apply(to file: borrowing OpenFile) throws(StorageError) {
        if isExecutable { try file.setPermissions(0o700) }
        if modified > 0 { file.setModified(modified) }
    }
}
