import Glibc

extension StorageError: CustomStringConvertible {
    /// The path and the reason, without a full stop. The path can hold anything, so escape it for a terminal.
    public var description: String { "\(path): \(reason)" }
}

extension StorageError.Reason: CustomStringConvertible {
    /// What is wrong, in a clause.
    public var description: String {
        switch self {
        case .notFound: "there is no such file"
        case .alreadyExists: "it already exists"
        case .permissionDenied: "permission denied"
        case .noSpace: "there is no space left"
        case .readOnlyFileSystem: "the file system is read-only"
        case .fileSizeLimit: "files of this size cannot be written here"
        case .tooManyOpenFiles: "too many files are open"
        case .isSymbolicLink: "it is a symbolic link"
        case .isDirectory: "it is a directory"
        case .notRegularFile: "it is not what it should be"
        case .system(let errno): Self.describe(errno)
        case .readableByOthers(let mode): "other users can read the secret (mode \(String(mode, radix: 8)))"
        case .writableByOthers(let mode): "other users can change it (mode \(String(mode, radix: 8)))"
        case .ownedByOther(let user): "it belongs to another user (\(user))"
        case .directoryWritableByOthers(let mode): "other users can change its files (mode \(String(mode, radix: 8)))"
        case .unknownSize: "the system does not say how long it is"
        case .tooLarge(let limit): "it has more than \(limit) bytes"
        case .malformed(let line): "line \(line) is damaged"
        case .unsupportedVersion: "its format has a later version"
        case .changedWhileReading: "it changed while it was read"
        case .truncated: "it ended too early"
        case .tooManyMembers(let limit): "it holds more than \(limit) files and folders, or their paths are too long"
        case .pathTooLong: "the path is too long to be sent"
        case .badManifest: "the folder's list of files is wrong"
        case .unsafeName: "the name is not a plain file name"
        case .tooManyNames: "too many files have this name"
        case .busy: "another process is using it"
        case .outOfSecretMemory: "there is no memory that can be locked for keys"
        case .cancelled: "the operation was cancelled"
        }
    }

    /// The system's description of one of its error numbers.
    static func describe(_ errno: Int32) -> String {
        // SAFETY: a C string of this thread's own (glibc 2.32 and later), copied at once.
        unsafe String(cString: strerror(errno))
    }
}
