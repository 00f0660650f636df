public import MultipeerClock
public import MultipeerCore
public import MultipeerCrypto

/// A file that is received from a peer.
///
/// Until ``finish(keepingIdentical:)`` the bytes have a hidden name that nobody mistakes for the file. Then they are on
/// the disk, and the file appears at once under the first free name. No file is ever overwritten. An unfinished file is
/// removed when it is discarded, when a write fails, and when this object is destroyed. After a crash the hidden file
/// stays (``AbandonedFiles``). A file that its sender may offer again under the same tag is held instead, unless it is
/// discarded (``HeldFiles``).
///
/// Bytes are written later, on a thread that may block. Fewer than ``writeBehindLimit`` bytes and one chunk wait in
/// memory. So a failure to write is reported by a later call, and by ``finish(keepingIdentical:)`` at the latest. Calls must not
/// overlap; their order would be undefined.
public final class ReceivedFile: Sendable {
    /// The number of waiting bytes at which ``write(_:)`` waits for the disk.
    public static let writeBehindLimit = 1_048_576

    /// This is an object of its own, so that work that is still on a thread does not keep the file alive.
    private let partial: PartialFile
    private let queue: WriteQueue
    private let name: String
    /// Does what is left to do once the file has its name. It blocks.
    private let onFinish: @Sendable () -> Void

    init(
        _ partial: PartialFile, name: String, expectedLength: UInt64, onFinish: @escaping @Sendable () -> Void = {}
    ) {
        self.partial = partial
        queue = WriteQueue(partial, name: name, expectedLength: expectedLength)
        self.name = name
        self.onFinish = onFinish
    }

    deinit { queue.discard(keeping: true) }

    /// Creates the hidden file. Its permissions are those of any new file in its directory.
    /// - Parameters:
    ///   - name: The final name of the file. It must be sanitised; a name that is not plain is refused.
    ///   - directory: The directory of the file, which must exist.
    ///   - expectedLength: The exact length of the finished file, in bytes.
    public static func begin(
        named name: String, in directory: String, expectedLength: UInt64
    ) async throws(StorageError) -> ReceivedFile {
        let partial = try await BlockingWork.run(.open, directory) { () throws(StorageError) in
            try PartialFile(name: name, in: directory, expectedLength: expectedLength)
        }
        return ReceivedFile(partial, name: name, expectedLength: expectedLength)
    }

    /// Continues with what is held of an offer, or begins anew. If it ends before its time it is held, as far as that
    /// is possible (``HeldFiles``), unless it is discarded.
    /// - Parameters:
    ///   - offer: What the peer offers. Its name must be sanitised; a name that is not plain is refused.
    ///   - sender: The peer.
    ///   - directory: The directory of the file, which must exist.
    ///   - limits: How much is held.
    ///   - digest: Hashes what is held, which takes time for a long file.
    ///   - now: The time in seconds since 1970.
    ///   - clock: The clock by which this waits, for at most 2 s, while another file uses the beginning.
    public static func begin(
        _ offer: StoredOffer, from sender: IdentityKey, in directory: String, limits: HeldLimits = HeldLimits(),
        digest: any BulkDigest, now: Int64, clock: any SteadyClock = ContinuousClock()
    ) async throws(StorageError) -> BegunFile {
        let held = HeldFiles(in: directory, limits: limits)
        for _ in 0..<Self.tries {
            let begun = try await BlockingWork.run(.open, directory) { () throws(StorageError) -> BegunFile? in
                try begin(offer, from: sender, in: directory, held, digest: digest, now: now)
            }
            if let begun { return begun }
            // Another link has the beginning. It may be one whose end this process is about to see.
            try? await clock.sleep(for: Self.pause)
        }
        return try await BlockingWork.run(.open, directory) { () throws(StorageError) in
            try plain(offer, from: sender, in: directory, held)
        }
    }

    /// How often a beginning that is in use is tried, and how long this waits in between: 2 s in all.
    private static let tries = 100
    private static let pause: Duration = .milliseconds(20)

    /// Nil if another file uses the beginning. What cannot be held, for whatever reason, is received all the same.
    private static func begin(
        _ offer: StoredOffer, from sender: IdentityKey, in directory: String, _ held: HeldFiles,
        digest: any BulkDigest, now: Int64
    ) throws(StorageError) -> BegunFile? {
        try FilePath.checkName(offer.name)
        do throws(StorageError) {
            guard let file = try held.open(offer, from: sender, now: now) else {
                return try plain(offer, from: sender, in: directory, held)
            }
            return try resume(file, offer, from: sender, in: directory, held, digest: digest)
        } catch {
            return error.reason == .busy ? nil : try plain(offer, from: sender, in: directory, held)
        }
    }

    private static func resume(
        _ file: consuming HeldFile, _ offer: StoredOffer, from sender: IdentityKey, in directory: String,
        _ held: HeldFiles, digest: any BulkDigest
    ) throws(StorageError) -> BegunFile {
        let beginning = file.length > 0 ? try file.beginning(digest) : nil
        let partial = try PartialFile(
            file, name: offer.name, in: directory, expectedLength: offer.size, attributes: offer.attributes,
            manifest: offer.manifestLength, onEnd: { held.tidy(sender.description) })
        return BegunFile(file: received(partial, offer, from: sender, held), beginning: beginning)
    }

    /// A file that replaces what is held of its source as it was before.
    private static func received(
        _ partial: PartialFile, _ offer: StoredOffer, from sender: IdentityKey, _ held: HeldFiles
    ) -> ReceivedFile {
        ReceivedFile(partial, name: offer.name, expectedLength: offer.size) {
            held.replaceBeginnings(by: offer, from: sender)
        }
    }

    private static func plain(
        _ offer: StoredOffer, from sender: IdentityKey, in directory: String, _ held: HeldFiles
    ) throws(StorageError) -> BegunFile {
        let partial = try PartialFile(
            name: offer.name, in: directory, expectedLength: offer.size, attributes: offer.attributes,
            manifest: offer.manifestLength)
        return BegunFile(file: received(partial, offer, from: sender, held), beginning: nil)
    }

    /// Creates a hidden file and removes it, so that a directory that takes no files is found before a peer offers one.
    /// The call blocks.
    public static func checkDirectory(_ path: String) throws(StorageError) {
        let directory = try OpenFile.openDirectory(path)
        let name = FilePath.hidden("check", suffix: ".tmp")
        do throws(StorageError) {
            _ = try directory.create(name)
        } catch {
            throw StorageError(error.phase, path, error.reason)
        }
        directory.remove(name)
    }

    /// Looks whether there is room for a file, beside all that this process is receiving. It may still be too little later.
    /// - Parameters:
    ///   - offer: The file, as it is offered.
    ///   - sender: The peer that offers it.
    ///   - directory: The folder where it would be stored.
    ///   - waiting: How many bytes more must be free, for what may be taken together with it.
    ///   - limits: How much is held of files that have not come to their end.
    /// - Returns: How many bytes the file needs.
    /// - Throws: ``StorageError``, with ``StorageError/Reason/noSpace``.
    @discardableResult
    public static func checkRoom(
        for offer: StoredOffer, from sender: IdentityKey, in directory: String, beside waiting: UInt64 = 0,
        limits: HeldLimits = HeldLimits()
    ) async throws(StorageError) -> UInt64 {
        try await BlockingWork.run(.open, directory) { () throws(StorageError) in
            let held = HeldFiles(in: directory, limits: limits).length(of: offer, from: sender)
            let need = PartialFile.need(offer.size, offer.manifestLength, held: held)
            let (all, overflow) = need.addingReportingOverflow(need == 0 ? 0 : waiting)
            _ = try DiskRoom.process.promise(overflow ? .max : all, on: OpenFile.openDirectory(directory))
            return need
        }
    }

    /// Appends bytes, and returns at once while few bytes wait for the disk. If this fails, the file is discarded.
    /// - Throws: ``StorageError``: ``StorageError/Reason/tooLarge(limit:)`` above the expected length,
    ///   ``StorageError/Reason/noSpace`` also for bytes of an earlier call, ``StorageError/Reason/cancelled`` if the
    ///   file has already ended.
    public func write(_ bytes: [UInt8]) async throws(StorageError) {
        try await queue.append(bytes)
    }

    /// Checks the manifest of a folder, once all of it has been appended. A wrong one discards everything (R15.8-1).
    /// - Throws: ``StorageError``, with ``StorageError/Reason/badManifest``.
    public func checkManifest() async throws(StorageError) {
        await queue.settle()
        try await BlockingWork.run(.read, name) { [partial] () throws(StorageError) in try partial.checkManifest() }
    }

    /// Puts the bytes on the disk and gives the file its name. A folder is made of them first. If this fails, the file is discarded.
    /// - Parameter keepsIdentical: Whether a file that has the name already stays in place of this one, if it is the same byte for byte,
    ///   or a folder, if it holds the same files and folders.
    /// - Returns: Where it is.
    /// - Throws: ``StorageError``: the error of an earlier write, ``StorageError/Reason/truncated`` below the expected
    ///   length,
    ///   ``StorageError/Reason/tooManyNames``.
    public func finish(keepingIdentical keepsIdentical: Bool = false) async throws(StorageError) -> FinishedFile {
        try await queue.finish()
        return try await BlockingWork.run(.publish, name) { [partial, onFinish] () throws(StorageError) in
            let finished = try partial.finish(keepingIdentical: keepsIdentical)
            onFinish()
            return finished
        }
    }

    /// Ends the file before its time. What has come is written and held if the sender may offer the rest later, and removed
    /// otherwise.
    public func keep() async {
        await queue.settle()
        queue.discard(keeping: true)
    }

    /// Removes the file, unless it has been finished.
    public func discard() async {
        // This ignores cancellation, because the file must be removed, and removing it is one system call.
        queue.discard()
    }
}

/// A file or folder that is on the disk under its name.
public struct FinishedFile: Hashable, Sendable {
    /// The path. Its last component may have a number, such as ` (2)`.
    public let path: String
    /// The same name without such a number: the one that was asked for, or what the disk holds of it (SPEC §15.5).
    public let name: String
    /// What has another name in a folder than at its sender (R15.8-2).
    public let renamed: RenamedMembers
    /// Whether it was there before, byte for byte, and has stayed in place of what has come.
    public let isKept: Bool
}

/// A file that can be received now.
public struct BegunFile: Sendable {
    /// The file.
    public let file: ReceivedFile
    /// What is held of it, or nil if that is nothing.
    public let beginning: HeldBeginning?
}
