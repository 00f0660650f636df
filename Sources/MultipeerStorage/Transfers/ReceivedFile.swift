import Synchronization

/// A file that comes in from a peer.
///
/// Until ``finish()`` the bytes lie under a hidden name that nobody takes for the file; then they are on the disk, and
/// appear at once under the first name that is free. Nothing is ever overwritten. A file that is not finished goes when
/// it is discarded, when a write fails, and when this object goes. (After a crash the hidden file stays.)
///
/// Each call waits for the disk, so whoever awaits it before the next holds one chunk in memory. Calls are not to overlap:
/// the order of two that do is not defined.
public final class ReceivedFile: Sendable {
    private enum State: ~Copyable {
        case receiving(Partial)
        case ended
    }

    private struct Partial: ~Copyable {
        let directory: OpenFile
        let file: OpenFile
        let hiddenName: String
        var length: UInt64 = 0
    }

    private let name: String
    private let directoryPath: String
    private let expectedLength: UInt64
    private let state: Mutex<State>

    private init(_ partial: consuming sending Partial, name: String, directoryPath: String, expectedLength: UInt64) {
        self.name = name
        self.directoryPath = directoryPath
        self.expectedLength = expectedLength
        state = Mutex(.receiving(partial))
    }

    deinit { end() }

    /// Makes the hidden file, mode 0600.
    /// - Parameters:
    ///   - name: What the file shall be called; sanitised already, and refused here when it is no plain name.
    ///   - directory: Where it shall be; exists.
    ///   - expectedLength: How many bytes it will have; neither more nor fewer make a finished file.
    public static func begin(
        named name: String, in directory: String, expectedLength: UInt64
    ) async throws(StorageError) -> ReceivedFile {
        try await BlockingWork.run(.open, directory) { () throws(StorageError) in
            try FilePath.checkName(name)
            let opened = try OpenFile.openDirectory(directory)
            let hiddenName = FilePath.hidden(name, suffix: ".partial")
            let file = try opened.create(hiddenName)
            return ReceivedFile(
                Partial(directory: opened, file: file, hiddenName: hiddenName), name: name, directoryPath: directory,
                expectedLength: expectedLength)
        }
    }

    /// Appends bytes. When this fails the file is discarded.
    /// - Throws: ``StorageError``: ``StorageError/Reason/tooLarge(limit:)`` above the expected length,
    ///   ``StorageError/Reason/noSpace``, ``StorageError/Reason/cancelled`` when the file has ended.
    public func write(_ bytes: [UInt8]) async throws(StorageError) {
        try await BlockingWork.run(.write, name) { [self] () throws(StorageError) in
            try discardingOnFailure { (partial) throws(StorageError) in
                guard UInt64(bytes.count) <= expectedLength - partial.length else {
                    throw StorageError(.write, name, .tooLarge(limit: expectedLength))
                }
                try partial.file.write(bytes.span)
                partial.length += UInt64(bytes.count)
            }
        }
    }

    /// Puts the bytes on the disk and gives the file its name. When this fails the file is discarded.
    /// - Returns: The path; its last component may have got a number, ` (2)`.
    /// - Throws: ``StorageError``: ``StorageError/Reason/truncated`` below the expected length,
    ///   ``StorageError/Reason/tooManyNames``.
    public func finish() async throws(StorageError) -> String {
        try await BlockingWork.run(.publish, name) { [self] () throws(StorageError) in
            let published = try discardingOnFailure { (partial) throws(StorageError) in
                guard partial.length == expectedLength else { throw StorageError(.publish, name, .truncated) }
                try partial.file.synchronise()
                let published = try publish(partial)
                try partial.directory.synchronise()
                return published
            }
            // The hidden name is gone with the renaming, so ending removes nothing.
            end()
            return directoryPath + "/" + published
        }
    }

    /// Removes the file, unless it is finished.
    public func discard() async {
        // Not on a cancelled task's terms: removing is one system call, and must happen.
        end()
    }

    private func publish(_ partial: borrowing Partial) throws(StorageError) -> String {
        for candidate in PublishedNames(name) {
            do throws(StorageError) {
                try partial.directory.rename(partial.hiddenName, unlessExists: candidate)
                return candidate
            } catch {
                guard error.reason == .alreadyExists else { throw error }
            }
        }
        throw StorageError(.publish, directoryPath + "/" + name, .tooManyNames)
    }

    private func discardingOnFailure<Value>(
        _ body: (inout Partial) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try state.withLock { (state) throws(StorageError) in
            switch consume state {
            case .ended:
                state = .ended
                throw StorageError(.write, name, .cancelled)
            case .receiving(var partial):
                do throws(StorageError) {
                    let value = try body(&partial)
                    state = .receiving(partial)
                    return value
                } catch {
                    partial.directory.remove(partial.hiddenName)
                    state = .ended
                    throw error
                }
            }
        }
    }

    private func end() {
        state.withLock { state in
            if case .receiving(let partial) = consume state { partial.directory.remove(partial.hiddenName) }
            state = .ended
        }
    }
}
