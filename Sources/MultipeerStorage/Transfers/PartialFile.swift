import Glibc
import MultipeerCore
import Synchronization

/// The hidden file of a ``ReceivedFile``. All calls block.
final class PartialFile: Sendable {
    private enum State: ~Copyable {
        case receiving(Open)
        case ended
    }

    private struct Open: ~Copyable {
        /// The directory of the finished file.
        let directory: OpenFile
        /// The directory of the unfinished one.
        let place: OpenFile
        let file: OpenFile
        let hiddenName: String
        /// What the rest needs of the disk.
        let room: DiskRoom.Promise
        var length: UInt64 = 0
        /// The number of these bytes whose writing to the disk has begun.
        var flushed: UInt64 = 0
    }

    /// How many bytes may wait in the system before their writing to the disk begins.
    private static let writebackStep: UInt64 = 16_777_216

    /// The end of the hidden name.
    static let suffix = ".partial"

    private let name: String
    private let directoryPath: String
    private let expectedLength: UInt64
    private let attributes: FileAttributes
    /// The length of the manifest, if the file becomes a folder.
    private let manifest: UInt64?
    /// Does what is left to do for an unfinished file that stays (``HeldFiles``); nil for one that never does.
    private let onHeldEnd: (@Sendable () -> Void)?
    private let state: Mutex<State>

    /// Creates the file with the permissions that new files have in its directory.
    init(
        name: String, in directoryPath: String, expectedLength: UInt64, attributes: FileAttributes = FileAttributes(),
        manifest: UInt64? = nil
    ) throws(StorageError) {
        try FilePath.checkName(name)
        let directory = try OpenFile.openDirectory(directoryPath)
        let place = try OpenFile.openDirectory(directoryPath)
        let room = try DiskRoom.process.promise(Self.need(expectedLength, manifest), on: directory)
        let hiddenName = FilePath.hidden(SanitizedFileName.portable(name), suffix: Self.suffix)
        let file = try directory.create(hiddenName, mode: OpenFile.usualFileMode)
        // The lock ends with the process, however it ends. So a file without a lock has been abandoned.
        file.lock()
        self.name = name
        self.directoryPath = directoryPath
        self.expectedLength = expectedLength
        self.attributes = attributes
        self.manifest = manifest
        onHeldEnd = nil
        let open = Open(directory: directory, place: place, file: file, hiddenName: hiddenName, room: room)
        state = Mutex(.receiving(open))
    }

    /// How many bytes the rest of a file needs. A folder is made of what has come, so its content is on the disk twice.
    static func need(_ length: UInt64, _ manifest: UInt64?, held: UInt64 = 0) -> UInt64 {
        let copied = manifest.map { length - min($0, length) } ?? 0
        return length - min(held, length) + copied
    }

    /// Continues a file that is held. It is kept when it does not come to its end.
    init(
        _ held: consuming HeldFile, name: String, in directoryPath: String, expectedLength: UInt64,
        attributes: FileAttributes, manifest: UInt64?, onEnd: @escaping @Sendable () -> Void
    ) throws(StorageError) {
        try FilePath.checkName(name)
        let directory = try OpenFile.openDirectory(directoryPath)
        let (hiddenName, length) = (held.name, held.length)
        let room: DiskRoom.Promise
        do throws(StorageError) {
            room = try DiskRoom.process.promise(Self.need(expectedLength, manifest, held: length), on: directory)
        } catch {
            // Nothing has come of what does not fit.
            if length == 0 { held.place.remove(hiddenName) }
            onEnd()
            throw error
        }
        self.name = name
        self.directoryPath = directoryPath
        self.expectedLength = expectedLength
        self.attributes = attributes
        self.manifest = manifest
        onHeldEnd = onEnd
        let open = Open(
            directory: directory, place: held.place, file: held.file, hiddenName: hiddenName, room: room,
            length: length,
            flushed: length)
        state = Mutex(.receiving(open))
    }

    /// How many bytes there are.
    var length: UInt64 {
        state.withLock { state in
            switch state {
            case .receiving(let open): open.length
            case .ended: 0
            }
        }
    }

    func write(_ bytes: [UInt8]) throws(StorageError) {
        try discardingOnFailure(.write) { (open) throws(StorageError) in
            guard UInt64(bytes.count) <= expectedLength - open.length else {
                throw StorageError(.write, name, .tooLarge(limit: expectedLength))
            }
            try open.file.append(bytes.span, at: open.length)
            open.length += UInt64(bytes.count)
            open.room.use(UInt64(bytes.count))
            if open.length - open.flushed >= Self.writebackStep {
                open.file.beginWriteback(from: open.flushed, count: open.length - open.flushed)
                open.flushed = open.length
            }
        }
    }

    /// - Parameter keepsIdentical: Whether a file or folder that has the name already stays in place of this one, if it is the same byte for
    ///   byte.
    func finish(keepingIdentical keepsIdentical: Bool = false) throws(StorageError) -> FinishedFile {
        let published = try discardingOnFailure(.publish) { (open) throws(StorageError) -> FinishedFile in
            guard open.length == expectedLength else { throw StorageError(.publish, name, .truncated) }
            if let manifest { return try publishFolder(open, manifest, keepsIdentical) }
            if keepsIdentical, try hasIdentical(open) { return kept(open) }
            try attributes.apply(to: open.file)
            try open.file.synchronise()
            let published = try publish(open)
            try open.directory.synchronise()
            return finished(published, in: open)
        }
        state.withLock { $0 = .ended }
        onHeldEnd?()
        return published
    }

    /// Closes the file, unless it has already ended. It is removed, unless it is a held one that is to be kept.
    func end(keeping: Bool = false) {
        let hasEnded = state.withLock { state in
            guard case .receiving(let open) = consume state else {
                state = .ended
                return false
            }
            if !keeping || onHeldEnd == nil { open.place.remove(open.hiddenName) }
            state = .ended
            return true
        }
        if hasEnded { onHeldEnd?() }
    }

    /// Checks the manifest, once all of it has been written (R15.8-1). What is wrong is discarded.
    func checkManifest() throws(StorageError) {
        guard let manifest else { return }
        let error: StorageError? = state.withLock { state in
            switch state {
            case .receiving(let open):
                do throws(StorageError) {
                    _ = try FolderWriter.manifest(of: open.file, length: manifest, size: expectedLength)
                    return nil
                } catch {
                    return error
                }
            case .ended: return StorageError(.read, name, .cancelled)
            }
        }
        if let error {
            end()
            throw error
        }
    }

    /// What has come goes, because it was there before.
    private func kept(_ open: borrowing Open) -> FinishedFile {
        open.place.remove(open.hiddenName)
        return FinishedFile(path: directoryPath + "/" + name, name: name, renamed: RenamedMembers(), isKept: true)
    }

    /// Makes a folder of what has come. Until it has its name, the bytes stay where they are.
    private func publishFolder(
        _ open: borrowing Open, _ manifest: UInt64, _ keepsIdentical: Bool
    ) throws(StorageError) -> FinishedFile {
        let members = try FolderWriter.manifest(of: open.file, length: manifest, size: expectedLength)
        if keepsIdentical, try hasIdentical(open, FolderTree(members, contentAt: manifest)) { return kept(open) }
        var writer = try FolderWriter.begin(name, in: directoryPath)
        do throws(StorageError) {
            try writer.write(members, length: manifest, from: open.file)
        } catch {
            writer.discard()
            throw error
        }
        let renamed = writer.renamed
        let published = try writer.publish(as: name)
        open.place.remove(open.hiddenName)
        return finished(published, in: open, renamed)
    }

    private func finished(
        _ published: PublishedNames.Given, in open: borrowing Open, _ renamed: RenamedMembers = RenamedMembers()
    ) -> FinishedFile {
        // The file is there: whatever its folder says of its name is not its end.
        let actual = (try? open.directory.actualName(of: published.name)) ?? published.name
        return FinishedFile(
            path: directoryPath + "/" + actual, name: actual == published.name ? published.wish : actual,
            renamed: renamed, isKept: false)
    }

    /// Whether a regular file with the name of this one has the same bytes. It is on the disk then, as this one would be (R15.3-6). What
    /// cannot be read is another file.
    private func hasIdentical(_ open: borrowing Open) throws(StorageError) -> Bool {
        guard let other = try? open.directory.open(name), let status = try? other.status(), status.kind == S_IFREG,
            UInt64(max(0, status.size)) == open.length,
            (try? open.file.hasSameBytes(as: other, count: open.length)) == true,
            // It may have been changed or replaced meanwhile.
            open.directory.statusOfEntry(name) == status
        else { return false }
        try other.synchronise()
        try open.directory.synchronise()
        return true
    }

    /// The same for a folder: it holds the same files and folders under the same names, and nothing else.
    private func hasIdentical(_ open: borrowing Open, _ tree: FolderTree) throws(StorageError) -> Bool {
        let before = open.directory.statusOfEntry(name)
        guard let other = try? open.directory.openDirectory(name),
            (try? FolderComparison(tree).isSame(other, as: open.file)) == true,
            open.directory.statusOfEntry(name) == before
        else { return false }
        try other.synchroniseDisk()
        try open.directory.synchronise()
        return true
    }

    private func publish(_ open: borrowing Open) throws(StorageError) -> PublishedNames.Given {
        try PublishedNames.first(for: name) { (candidate) throws(StorageError) in
            try open.place.move(open.hiddenName, to: open.directory, unlessExists: candidate)
        }
    }

    private static func endsHeld(_ reason: StorageError.Reason) -> Bool {
        switch reason {
        case .badManifest, .noSpace, .fileSizeLimit: true
        default: false
        }
    }

    private func discardingOnFailure<Value>(
        _ phase: StorageError.Phase, _ body: (inout Open) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try state.withLock { (state) throws(StorageError) in
            switch consume state {
            case .ended:
                state = .ended
                throw StorageError(phase, name, .cancelled)
            case .receiving(var open):
                do throws(StorageError) {
                    let value = try body(&open)
                    state = .receiving(open)
                    return value
                } catch {
                    // A held file stays, so that it can continue. One that is wrong does not, nor one that has filled
                    // its disk: it would keep other files out for as long as it is held.
                    if onHeldEnd == nil || Self.endsHeld(error.reason) { open.place.remove(open.hiddenName) }
                    state = .ended
                    onHeldEnd?()
                    throw error
                }
            }
        }
    }
}
