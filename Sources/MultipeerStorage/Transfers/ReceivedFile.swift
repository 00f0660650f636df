/// A file that comes in from a peer.
///
/// Until ``finish()`` the bytes lie under a hidden name that nobody takes for the file; then they are on the disk, and
/// appear at once under the first name that is free. Nothing is ever overwritten. A file that is not finished goes when
/// it is discarded, when a write fails, and when this object goes. (After a crash the hidden file stays.)
///
/// Bytes are written later, on a thread that may block: fewer than ``writeBehindLimit`` and one chunk wait in memory. So a
/// failure to write shows in a later call, in ``finish()`` at the latest. Calls must not overlap: the order of two that do is
/// not defined.
public final class ReceivedFile: Sendable {
    /// At this many bytes ``write(_:)`` waits for the disk.
    public static let writeBehindLimit = 4_194_304

    /// Apart from this object, so that work that a thread has not let go of yet does not keep the file.
    private let partial: PartialFile
    private let queue: WriteQueue
    private let name: String

    private init(_ partial: PartialFile, name: String, expectedLength: UInt64) {
        self.partial = partial
        queue = WriteQueue(partial, name: name, expectedLength: expectedLength)
        self.name = name
    }

    deinit { queue.discard() }

    /// Makes the hidden file, mode 0600.
    /// - Parameters:
    ///   - name: What the file shall be called; sanitised already, and refused here when it is no plain name.
    ///   - directory: Where it shall be; exists.
    ///   - expectedLength: How many bytes it will have; neither more nor fewer make a finished file.
    public static func begin(
        named name: String, in directory: String, expectedLength: UInt64
    ) async throws(StorageError) -> ReceivedFile {
        let partial = try await BlockingWork.run(.open, directory) { () throws(StorageError) in
            try PartialFile(name: name, in: directory, expectedLength: expectedLength)
        }
        return ReceivedFile(partial, name: name, expectedLength: expectedLength)
    }

    /// Appends bytes, and returns at once while little waits for the disk. When this fails the file is discarded.
    /// - Throws: ``StorageError``: ``StorageError/Reason/tooLarge(limit:)`` above the expected length,
    ///   ``StorageError/Reason/noSpace`` also for bytes of an earlier call, ``StorageError/Reason/cancelled`` when the file
    ///   has ended.
    public func write(_ bytes: [UInt8]) async throws(StorageError) {
        try await queue.append(bytes)
    }

    /// Puts the bytes on the disk and gives the file its name. When this fails the file is discarded.
    /// - Returns: The path; its last component may have got a number, ` (2)`.
    /// - Throws: ``StorageError``: what an earlier write met, ``StorageError/Reason/truncated`` below the expected length,
    ///   ``StorageError/Reason/tooManyNames``.
    public func finish() async throws(StorageError) -> String {
        try await queue.finish()
        return try await BlockingWork.run(.publish, name) { [partial] () throws(StorageError) in try partial.finish() }
    }

    /// Removes the file, unless it is finished.
    public func discard() async {
        // Not on a cancelled task's terms: removing is one system call, and must happen.
        queue.discard()
    }
}
