import Glibc

/// Unfinished files of processes that were killed or crashed (``ReceivedFile``).
///
/// A living process holds the lock of each unfinished file. So a file with a hidden name and without a lock is abandoned.
/// It is kept for a while, because a later transfer could go on where it ends.
public struct AbandonedFiles: Equatable, Sendable {
    /// How many seconds after the last write an abandoned file is removed: seven days.
    public static let maximumAge: Int64 = 7 * 86_400

    /// The number of files that are kept.
    public private(set) var kept = 0
    /// The number of bytes of the files that are kept.
    public private(set) var keptBytes: UInt64 = 0
    /// The number of files that were removed.
    public private(set) var removed = 0

    /// Removes the old abandoned files of a directory, and counts the others. Files that a process still writes are left
    /// alone, and so is everything that belongs to another user. The call blocks.
    /// - Parameters:
    ///   - path: The directory.
    ///   - now: The time in seconds since 1970.
    /// - Throws: ``StorageError`` if the directory cannot be read.
    public static func sweep(_ path: String, now: Int64) throws(StorageError) -> AbandonedFiles {
        let directory = try OpenFile.openDirectory(path)
        var result = AbandonedFiles()
        for name in try directory.names(where: { FilePath.isHidden($0, suffix: PartialFile.suffix) }) {
            // A file that is gone by now, or that cannot be examined, is none of ours.
            try? result.examine(name, in: directory, now: now)
        }
        return result
    }

    private mutating func examine(
        _ name: String, in directory: borrowing OpenFile, now: Int64
    ) throws(StorageError) {
        let file = try directory.open(name)
        // The lock lasts as long as the descriptor.
        defer { withExtendedLifetime(file) {} }
        let status = try file.status()
        guard status.kind == S_IFREG, status.owner == geteuid(), try file.tryLock() else { return }
        // The lock is held from here on. Its name is random, so no other file has it now.
        guard status.modified / 1_000_000_000 < now - Self.maximumAge else {
            kept += 1
            keptBytes += UInt64(clamping: status.size)
            return
        }
        directory.remove(name)
        removed += 1
    }
}
