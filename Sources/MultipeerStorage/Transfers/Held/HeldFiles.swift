import Glibc
import MultipeerCrypto

/// The beginnings of files that did not come to their end, so that they can continue (SPEC §15.7).
///
/// They are in a hidden folder of the folder for received files, so that a finished file only changes its name. Each
/// sender has a folder of its own there, named after its identity key. A file's name says what it is the beginning of,
/// and its time says how old it is. So there is no index, and a process that is killed leaves nothing that is wrong. A
/// beginning is removed once the same sender has sent something else under its name: its source has changed.
public struct HeldFiles: Sendable {
    /// The name of the hidden folder.
    public static let folderName = ".multipeer-unfinished"
    /// The end of the name of each beginning.
    static let suffix = ".held"

    private let directory: String
    private let limits: HeldLimits

    /// - Parameters:
    ///   - directory: The folder for received files.
    ///   - limits: How much is held, and for how long.
    public init(in directory: String, limits: HeldLimits = HeldLimits()) {
        self.directory = directory
        self.limits = limits
    }

    /// Opens what is held of an offer, or begins to hold it. Nil if there is no room for it, or it cannot be resumed. The call
    /// blocks.
    /// - Throws: ``StorageError``, with ``StorageError/Reason/busy`` if another file uses the beginning.
    func open(_ offer: StoredOffer, from sender: IdentityKey, now: Int64) throws(StorageError) -> HeldFile? {
        guard offer.isResumable, offer.size <= limits.bytesOfSender else { return nil }
        let root = try openRoot(creating: true)
        try root.createDirectory(sender.description)
        let place = try root.openDirectory(sender.description)
        let file: OpenFile
        var name = heldName(of: offer, in: place) ?? offer.heldName
        if let existing = try existing(name, offer.size, in: place, now: now) {
            file = existing
        } else {
            guard try makeRoom(for: offer.size, in: place, of: root, now: now) else { return nil }
            name = offer.heldName
            file = try place.create(name, mode: OpenFile.usualFileMode)
            file.lock()
        }
        let length = UInt64(clamping: try file.status().size)
        return HeldFile(place: place, file: file, name: name, length: length)
    }

    /// The name under which something is held of an offer, if anything is.
    private func heldName(of offer: StoredOffer, in place: borrowing OpenFile) -> String? {
        (try? place.names(where: offer.isHeld))?.first
    }

    /// Removes the sender's other beginnings of an offer's name, once the offer has come whole: they are of what the source was before it
    /// changed, and nobody offers that again. One that is in use is left alone. The call blocks.
    func replaceBeginnings(by offer: StoredOffer, from sender: IdentityKey) {
        guard let place = try? openRoot(creating: false).openDirectory(sender.description),
            let names = try? place.names(where: offer.isNamesake), !names.isEmpty
        else { return }
        for name in names { _ = place.removeUnlessUsed(name) }
        tidy(sender.description)
    }

    /// How many bytes are held of an offer, as far as that can be said without taking it. The call blocks.
    func length(of offer: StoredOffer, from sender: IdentityKey) -> UInt64 {
        guard offer.isResumable, let place = try? openRoot(creating: false).openDirectory(sender.description),
            let name = heldName(of: offer, in: place)
        else { return 0 }
        return place.status(of: name).map { min(UInt64(clamping: $0.size), offer.size) } ?? 0
    }

    /// Opens and locks what is held under a name. Nil if that is nothing, or was removed because it is too old or longer than `size`.
    private func existing(
        _ name: String, _ size: UInt64, in place: borrowing OpenFile, now: Int64
    ) throws(StorageError) -> OpenFile? {
        guard place.status(of: name) != nil else { return nil }
        let file = try place.openForAppending(name)
        let status = try file.status()
        guard status.kind == S_IFREG, status.owner == geteuid() else {
            throw StorageError(.open, file.path, .notRegularFile)
        }
        guard try file.tryLock() else { throw StorageError(.lock, file.path, .busy) }
        // The earlier holder of the lock may have removed or finished the file.
        guard let current = place.status(of: name), current.isSameFile(as: status) else { return nil }
        guard current.modifiedSeconds >= now - limits.age, current.size <= size else {
            place.remove(name)
            return nil
        }
        return file
    }

    private func openRoot(creating: Bool) throws(StorageError) -> OpenFile {
        let folder = try OpenFile.openDirectory(directory)
        if creating { try folder.createDirectory(Self.folderName) }
        let root = try folder.openDirectory(Self.folderName)
        let status = try root.status()
        guard status.owner == geteuid() else { throw StorageError(.open, root.path, .ownedByOther(user: status.owner)) }
        guard status.permissions & 0o022 == 0 else {
            throw StorageError(.open, root.path, .directoryWritableByOthers(mode: status.permissions))
        }
        return root
    }

    // MARK: Room

    /// Makes room for a new beginning, at the cost of its sender's old ones. Returns whether there is room.
    private func makeRoom(
        for size: UInt64, in place: borrowing OpenFile, of root: borrowing OpenFile, now: Int64
    ) throws(StorageError) -> Bool {
        var own = try HeldEntry.all(in: place).sorted { $0.modified < $1.modified }
        own.removeAll { $0.modified < now - limits.age && place.removeUnlessUsed($0.name) }
        while own.count >= limits.countOfSender || !fits(size, beside: own, in: limits.bytesOfSender) {
            guard let index = own.firstIndex(where: { place.removeUnlessUsed($0.name) }) else { return false }
            own.remove(at: index)
        }
        if try isFree(for: size, in: root) { return true }
        _ = try sweep(now: now)
        return try isFree(for: size, in: root)
    }

    /// Whether the bounds for all senders leave room.
    private func isFree(for size: UInt64, in root: borrowing OpenFile) throws(StorageError) -> Bool {
        var all: [HeldEntry] = []
        for sender in try root.names(where: Self.isSender) {
            all += (try? HeldEntry.all(in: root.openDirectory(sender))) ?? []
        }
        return all.count < limits.count && fits(size, beside: all, in: limits.bytes)
    }

    private func fits(_ size: UInt64, beside entries: [HeldEntry], in limit: UInt64) -> Bool {
        var left = limit
        for used in entries.map(\.size) + [size] {
            guard used <= left else { return false }
            left -= used
        }
        return true
    }

    // MARK: Sweeping

    /// Removes the beginnings that are too old, and counts the others. Those that are in use are left alone. The call blocks.
    func sweep(now: Int64) throws(StorageError) -> AbandonedFiles {
        var result = AbandonedFiles()
        let root: OpenFile
        do throws(StorageError) {
            root = try openRoot(creating: false)
        } catch {
            // Nothing is held, or it is not ours.
            return result
        }
        for sender in try root.names(where: Self.isSender) {
            try? result.sweep(
                root.openDirectory(sender), where: { $0.hasSuffix(Self.suffix) }, before: now - limits.age)
            tidy(sender)
        }
        return result
    }

    /// Removes the folder of a sender, and the folder for all, if they are empty.
    func tidy(_ sender: String) {
        guard let folder = try? OpenFile.openDirectory(directory),
            let root = try? folder.openDirectory(Self.folderName)
        else { return }
        root.removeDirectory(sender)
        folder.removeDirectory(Self.folderName)
    }

    private static func isSender(_ name: String) -> Bool { IdentityKey(name) != nil }
}

/// A beginning in the folder of its sender.
private struct HeldEntry {
    let name: String
    let size: UInt64
    let modified: Int64

    static func all(in place: borrowing OpenFile) throws(StorageError) -> [HeldEntry] {
        try place.names { $0.hasSuffix(HeldFiles.suffix) }.compactMap { name in
            place.status(of: name).map { status in
                HeldEntry(name: name, size: UInt64(clamping: status.size), modified: status.modifiedSeconds)
            }
        }
    }
}
