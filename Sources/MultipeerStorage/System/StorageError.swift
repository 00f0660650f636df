/// Why something did not happen on disk: what was being done, to what, and the reason.
public struct StorageError: Error, Hashable, Sendable {
    /// What was being done.
    public enum Phase: Hashable, Sendable {
        case createDirectory, open, read, lock, write, synchronise, publish, remove
    }

    /// Why it did not happen.
    public enum Reason: Hashable, Sendable {
        // The file system said no
        case notFound
        case alreadyExists
        case permissionDenied
        /// The disk or the quota is full.
        case noSpace
        case readOnlyFileSystem
        case tooManyOpenFiles
        /// A symbolic link stands where none is followed.
        case isSymbolicLink
        case isDirectory
        /// Neither a regular file nor what else was asked for: a device, a socket, a pipe.
        case notRegularFile
        /// Any other error number of the system.
        case system(errno: Int32)

        // We said no
        /// The file's permissions (the lower nine bits of `mode`) let others read a secret.
        case readableByOthers(mode: UInt32)
        /// The file's permissions let others change what we trust.
        case writableByOthers(mode: UInt32)
        case tooLarge(limit: UInt64)
        /// The content is not of its format, from this line on (counted from 1).
        case malformed(line: Int)
        /// The format's version is one that this software does not know.
        case unsupportedVersion
        /// The file became shorter, longer or another one while it was read.
        case changedWhileReading
        /// Fewer bytes came than were announced.
        case truncated
        /// The name is no plain file name.
        case unsafeName
        /// Every name that was tried exists.
        case tooManyNames
        /// Another process holds the lock.
        case busy
        /// No guarded memory for a secret.
        case outOfSecretMemory
        /// The task was cancelled, or the file was already finished or discarded.
        case cancelled
    }

    public let phase: Phase
    public let path: String
    public let reason: Reason

    /// Creates an error.
    public init(_ phase: Phase, _ path: String, _ reason: Reason) {
        self.phase = phase
        self.path = path
        self.reason = reason
    }
}
