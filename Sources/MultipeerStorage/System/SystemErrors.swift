import Glibc

extension StorageError {
    /// Returns the error of the last system call of this thread.
    static func last(_ phase: Phase, _ path: String) -> StorageError {
        StorageError(phase, path, Reason(errno: errno))
    }
}

extension StorageError.Reason {
    init(errno: Int32) {
        switch errno {
        case ENOENT: self = .notFound
        case EEXIST: self = .alreadyExists
        case EACCES, EPERM: self = .permissionDenied
        case ENOSPC, EDQUOT: self = .noSpace
        case EFBIG: self = .fileSizeLimit
        case EROFS: self = .readOnlyFileSystem
        case EMFILE, ENFILE: self = .tooManyOpenFiles
        case ELOOP: self = .isSymbolicLink
        case EISDIR: self = .isDirectory
        case ENXIO: self = .notRegularFile
        default: self = .system(errno: errno)
        }
    }
}

extension StorageError.Reason {
    /// Whether the disk may not hold the name that something was to have: characters or a length that it does not know. A disk over FUSE
    /// says that there is no such name.
    var isAboutName: Bool {
        switch self {
        case .notFound: true
        case .system(let errno): [EINVAL, EILSEQ, ENAMETOOLONG].contains(errno)
        default: false
        }
    }
}

/// Repeats a system call for as long as a signal interrupts it. The call returns minus one when it fails.
func uninterrupted<Value: FixedWidthInteger & SignedInteger>(_ call: () -> Value) -> Value {
    while true {
        let value = call()
        guard value == -1, errno == EINTR else { return value }
    }
}
