import Glibc

/// What a received file keeps of its sender's beside its bytes, and nothing else (R15.8-3).
struct FileAttributes: Equatable, Sendable {
    /// Whether those who may read the file may execute it.
    var isExecutable = false
    /// When the content was last changed, in seconds since 1970; 0 if that is unknown.
    var modified: UInt64 = 0

    /// Gives them to a new file, after its last byte. A user that may read it may execute it, if its sender may.
    func apply(to file: borrowing OpenFile) throws(StorageError) {
        if isExecutable {
            let mode = try file.status().permissions
            try file.setPermissions(mode_t(mode | (mode & 0o444) >> 2))
        }
        if modified > 0 { file.setModified(modified) }
    }
}
