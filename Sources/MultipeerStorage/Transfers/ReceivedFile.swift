/// A file that comes in from a peer.
///
/// Until ``finish()`` the bytes lie under a hidden name that nobody takes for the file; then they are on the disk, and
/// appear at once under the first name that is free. Nothing is ever overwritten. A file that is not finished goes when
/// it is discarded, when a write fails, and when this object goes. (After a crash the hidden file stays.)
///
/// Each call waits for the disk, so whoever awaits it before the next holds one chunk in memory. Calls are not to overlap:
/// the order of two that do is not defined.
public final class ReceivedFile: Sendable {
    /// Apart from this object, so that work that a thread has not let go of yet does not keep the file.
    private let partial: PartialFile
    private let name: String

    private init(_ partial: PartialFile, name: String) {
        self.partial = partial
        self.name = name
    }

    deinit { partial.end() }

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
        return ReceivedFile(partial, name: name)
    }

    /// Appends bytes. When this fails the file is discarded.
    /// - Throws: ``StorageError``: ``StorageError/Reason/tooLarge(limit:)`` above the expected length,
    ///   ``StorageError/Reason/noSpace``, ``StorageError/Reason/cancelled`` when the file has ended.
    public func write(_ bytes: [UInt8]) async throws(StorageError) {
        try await BlockingWork.run(.write, name) { [partial] () throws(StorageError) in try partial.write(bytes) }
    }

    /// Puts the bytes on the disk and gives the file its name. When this fails the file is discarded.
    /// - Returns: The path; its last component may have got a number, ` (2)`.
    /// - Throws: ``StorageError``: ``StorageError/Reason/truncated`` below the expected length,
    ///   ``StorageError/Reason/tooManyNames``.
    public func finish() async throws(StorageError) -> String {
        try await BlockingWork.run(.publish, name) { [partial] () throws(StorageError) in try partial.finish() }
    }

    /// Removes the file, unless it is finished.
    public func discard() async {
        // Not on a cancelled task's terms: removing is one system call, and must happen.
        partial.end()
    }
}
