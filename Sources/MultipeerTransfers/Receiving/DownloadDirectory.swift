public import MultipeerStorage

/// A folder for files that peers send.
public struct DownloadDirectory: Equatable, Sendable {
    /// How many descriptors a file needs while it is received: its own, and those of its two folders.
    public static let descriptorsPerFile = 3

    /// The path.
    public let directory: String
    /// What was found in it of files that did not come to their end.
    public let abandoned: AbandonedFiles

    /// Creates the folder with access for its owner only if it does not exist, checks that it takes files, and removes what
    /// has lain in it unfinished for too long. The call blocks.
    /// - Parameters:
    ///   - directory: The path.
    ///   - now: The time in seconds since 1970.
    /// - Throws: `StorageError`.
    public static func open(
        _ directory: String, now: Int64 = SystemClock.wall()
    ) throws(StorageError) -> DownloadDirectory {
        try PrivateDirectory.prepare(directory)
        try ReceivedFile.checkDirectory(directory)
        return DownloadDirectory(directory: directory, abandoned: try AbandonedFiles.sweep(directory, now: now))
    }

    /// Does the same on a thread that may block.
    /// - Throws: `StorageError`.
    public static func open(_ directory: String) async throws(StorageError) -> DownloadDirectory {
        try await BlockingWork.run(.open, directory) { () throws(StorageError) in
            try open(directory, now: SystemClock.wall())
        }
    }
}
