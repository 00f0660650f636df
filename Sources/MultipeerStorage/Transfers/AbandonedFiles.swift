import Glibc

/// Unfinished files of processes that were killed or crashed (``ReceivedFile``).
///
/// A living process holds the lock of each unfinished file. So a file with a hidden name and without a lock is
/// abandoned. It is kept for a while, because a later transfer could continue where it ends.
public struct AbandonedFiles: Equatable, Sendable {
    /// How many seconds after the last write an abandoned file is removed: seven days.
    public static let maximumAge: Int64 = 7 * 86_400

    /// The number of files that are kept.
    public private(set) var kept = 0
    /// The number of bytes of the files that are kept.
    public private(set) var keptBytes: UInt64 = 0
    /// The number of files that were removed.
    public private(set) var removed = 0

    /// Creates an empty result.
    init() {}

    /// Removes the old abandoned files of a directory, and counts the others, held beginnings included (``HeldFiles``). Files
    /// that a process still writes are left alone, and so is everything that belongs to another user. The call blocks.
    /// - Parameters:
    ///   - path: The directory.
    ///   - now: The time in seconds since 1970.
    /// - Throws: ``StorageError`` if the directory cannot be read.
    public static func sweep(_ path: String, now: Int64) throws(StorageError) -> AbandonedFiles {
        var result = try HeldFiles(in: path).sweep(now: now)
        let directory = try OpenFile.openDirectory(path)
        try result.sweep(
            directory, where: { FilePath.isHidden($0, suffix: PartialFile.suffix) }, before: now - Self.maximumAge)
        result.sweepFolders(directory)
        return result
    }

    /// Removes the files that were last changed before a time, and counts the others.
    mutating func sweep(
        _ directory: borrowing OpenFile, where isWanted: (String) -> Bool, before limit: Int64
    ) throws(StorageError) {
        for name in try directory.names(where: isWanted) {
            // A file that is gone by now, or that cannot be examined, is none of ours.
            try? examine(name, in: directory, before: limit)
        }
    }

    /// Removes the folders that a process was making when it was killed. The bytes of which it made them are held.
    private mutating func sweepFolders(_ directory: borrowing OpenFile) {
        let names = (try? directory.names { FilePath.isHidden($0, suffix: FolderWriter.suffix) }) ?? []
        for name in names {
            guard let folder = try? directory.openDirectory(name), let status = try? folder.status() else { continue }
            // The lock lasts as long as the descriptor.
            defer { withExtendedLifetime(folder) {} }
            guard status.owner == geteuid(), (try? folder.tryLock()) == true else { continue }
            directory.removeTree(name)
            removed += 1
        }
    }

    private mutating func examine(
        _ name: String, in directory: borrowing OpenFile, before limit: Int64
    ) throws(StorageError) {
        let file = try directory.open(name)
        // The lock lasts as long as the descriptor.
        defer { withExtendedLifetime(file) {} }
        let status = try file.status()
        guard status.kind == S_IFREG, status.owner == geteuid(), try file.tryLock() else { return }
        guard directory.status(of: name)?.isSameFile(as: status) == true else { return }
        guard status.modifiedSeconds < limit else {
            kept += 1
            keptBytes += UInt64(clamping: status.size)
            return
        }
        directory.remove(name)
        removed += 1
    }
}
