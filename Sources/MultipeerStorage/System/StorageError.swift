/// An error on disk: what was being done, with which file, and why it failed.
public struct StorageError: Error, Hashable, Sendable {
    /// What was being done.
    public enum Phase: Hashable, Sendable {
        case createDirectory, open, read, lock, write, synchronise, publish, remove
    }

    /// Why it failed.
    public enum Reason: Hashable, Sendable {
        // Reasons of the file system
        case notFound
        case alreadyExists
        case permissionDenied
        /// The disk or the quota is full.
        case noSpace
        case readOnlyFileSystem
        /// The process may not write so large a file, or the disk holds none.
        case fileSizeLimit
        case tooManyOpenFiles
        /// The file is a symbolic link where links are not followed.
        case isSymbolicLink
        case isDirectory
        /// The file is not a regular file, or not what was asked for, but a device, a socket or a pipe.
        case notRegularFile
        /// The system reported another error number.
        case system(errno: Int32)

        // Our own reasons
        /// The file's permissions (the lower nine bits of `mode`) allow others to read a secret.
        case readableByOthers(mode: UInt32)
        /// The file's permissions allow others to change what we trust.
        case writableByOthers(mode: UInt32)
        case tooLarge(limit: UInt64)
        /// The content breaks its format from this line on (counted from 1).
        case malformed(line: Int)
        /// This software does not know the version of the format.
        case unsupportedVersion
        /// The directory belongs to another user, who can change what we trust.
        case ownedByOther(user: UInt32)
        /// The directory's permissions allow others to change what we trust.
        case directoryWritableByOthers(mode: UInt32)
        /// The system does not say how long the file is, because its content is made when it is read.
        case unknownSize
        /// The file was changed or replaced while it was read.
        case changedWhileReading
        /// Fewer bytes arrived than were announced.
        case truncated
        /// A folder has more files and folders than can be offered at once, or their paths are too long in all.
        case tooManyMembers(limit: Int)
        /// The path in a folder has more than 32 parts or 1,024 bytes.
        case pathTooLong
        /// A peer's list of what a folder holds is not as SPEC §15.8 asks.
        case badManifest
        /// The name is not a plain file name.
        case unsafeName
        /// Every name that was tried already exists.
        case tooManyNames
        /// Another process holds the lock.
        case busy
        /// There is no guarded memory for a secret.
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
