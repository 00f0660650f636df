extension StorageError {
    /// What a person can do about the error, in one English sentence.
    public var remedy: String {
        switch reason {
        case .notFound: "Check the path; there is nothing at \(path)."
        case .alreadyExists: "Choose another name, or move \(path) away; nothing is overwritten."
        case .permissionDenied: "Give this user the right to use \(path) and its directory."
        case .noSpace: "Free space on the disk of \(path), or raise the quota."
        case .readOnlyFileSystem: "Choose a directory on a disk that can be written."
        case .fileSizeLimit: "Raise the limit of file sizes (ulimit -f), or choose a disk that holds larger files."
        case .tooManyOpenFiles: "Raise the limit of open files (ulimit -n)."
        case .isSymbolicLink: "Replace the symbolic link \(path) by the file itself."
        case .isDirectory: "Give a file; \(path) is a directory."
        case .notRegularFile: "Give a regular file; \(path) is not one."
        case .system: "Look at \(path) and its directories, and at what the system's log says."
        case .readableByOthers: "Keep the secret to yourself: chmod 600 \(path)."
        case .writableByOthers: "Let nobody else change the file: chmod 600 \(path)."
        case .ownedByOther: "Use a directory of your own, or give \(path) to this user (chown)."
        case .directoryWritableByOthers: "Let nobody else change the directory: chmod go-w \(path)."
        case .unknownSize: "Copy \(path), and give the copy."
        case .tooLarge(let limit): "Give a file of at most \(limit) bytes."
        case .malformed(let line): "Restore \(path) from a backup; line \(line) is damaged."
        case .unsupportedVersion: "Use a newer release for \(path)."
        case .changedWhileReading: "Leave \(path) alone while it is read, and try again."
        case .truncated: "Ask for the file again; not all of it came."
        case .tooManyMembers(let limit): "Send parts of the folder; at most \(limit) files and folders go at once."
        case .pathTooLong: "Shorten the path, or send the folder as an archive (tar)."
        case .badManifest: "Ask for the folder again. If that does not help, report a bug of the sender."
        case .unsafeName: "Use a plain file name without separators."
        case .tooManyNames: "Clear out the directory; too many files have the name of \(path)."
        case .busy: "Try again once the other process is done with \(path)."
        case .outOfSecretMemory: "Raise the limit of locked memory (ulimit -l)."
        case .cancelled: "Start again; the operation was ended."
        }
    }
}
