import Glibc
import MultipeerWire

/// Makes a folder out of the bytes that a peer has sent: a manifest, and the content of its files (SPEC §15.8).
///
/// The folder has a hidden name until it is complete. Nothing outside of it is touched, and no link in it is followed, because
/// everything in it is new.
struct FolderWriter: ~Copyable {
    /// The end of the hidden name.
    static let suffix = ".partial-folder"
    /// How much is copied at a time, in bytes.
    private static let step = 1_048_576

    /// The directory in which the folder stands.
    private let directory: OpenFile
    private let hiddenName: String
    private let root: OpenFile
    private var names = LocalNames()
    private var buffer = [UInt8](repeating: 0, count: Self.step)

    private init(_ root: consuming OpenFile, hiddenName: String, in directory: consuming OpenFile) {
        self.root = root
        self.hiddenName = hiddenName
        self.directory = directory
    }

    /// Creates the hidden folder.
    static func begin(_ name: String, in path: String) throws(StorageError) -> FolderWriter {
        let directory = try OpenFile.openDirectory(path)
        let hiddenName = FilePath.hidden(name, suffix: Self.suffix)
        try directory.createDirectory(hiddenName)
        let root = try directory.openDirectory(hiddenName)
        // Whoever finds the folder without a lock knows that it was abandoned.
        root.lock()
        return FolderWriter(root, hiddenName: hiddenName, in: directory)
    }

    /// Reads and checks the manifest at the beginning of a file (R15.8-1).
    static func manifest(
        of file: borrowing OpenFile, length: UInt64, size: UInt64
    ) throws(StorageError) -> FolderManifest {
        var bytes = [UInt8](repeating: 0, count: Int(min(length, FileOffer.maximumManifestLength)))
        var span = bytes.mutableSpan
        guard try file.read(into: &span, at: 0) == bytes.count else { throw StorageError(.read, file.path, .truncated) }
        do {
            return try FolderManifest(encoded: bytes.span, offerSize: size)
        } catch {
            throw StorageError(.read, file.path, .badManifest)
        }
    }

    /// Copies all members out of the file.
    mutating func write(
        _ manifest: FolderManifest, length: UInt64, from file: borrowing OpenFile
    ) throws(StorageError) {
        var offset = length
        for member in manifest.members {
            let parts = try names.parts(of: member)
            guard let name = parts.last else { continue }
            var place = try directory.openDirectory(hiddenName)
            for part in parts.dropLast() {
                try place.createDirectory(part)
                place = try place.openDirectory(part)
            }
            guard member.kind != .folder else {
                try place.createDirectory(name)
                continue
            }
            let new = try place.create(name)
            try copy(member.size, at: offset, of: file, to: new)
            try FileAttributes(isExecutable: member.kind == .executable, modified: member.modified).apply(to: new)
            offset += member.size
        }
    }

    private mutating func copy(
        _ count: UInt64, at start: UInt64, of file: borrowing OpenFile, to new: borrowing OpenFile
    ) throws(StorageError) {
        var left = count
        while left > 0 {
            let piece = Int(min(left, UInt64(Self.step)))
            if buffer.count != piece { buffer = [UInt8](repeating: 0, count: piece) }
            var span = buffer.mutableSpan
            guard try file.read(into: &span, at: Int64(start + (count - left))) == piece else {
                throw StorageError(.read, file.path, .truncated)
            }
            try new.write(buffer.span)
            left -= UInt64(piece)
        }
    }

    /// Puts everything on the disk and gives the folder its name, the first free one. Returns that.
    consuming func publish(as name: String) throws(StorageError) -> String {
        do throws(StorageError) {
            try root.synchroniseDisk()
            let published = try rename(to: name)
            try directory.synchronise()
            return published
        } catch {
            directory.removeTree(hiddenName)
            throw error
        }
    }

    private borrowing func rename(to name: String) throws(StorageError) -> String {
        for candidate in PublishedNames(name) {
            do throws(StorageError) {
                try directory.rename(hiddenName, unlessExists: candidate)
                return candidate
            } catch {
                guard error.reason == .alreadyExists else { throw error }
            }
        }
        throw StorageError(.publish, name, .tooManyNames)
    }

    /// Removes what there is.
    consuming func discard() { directory.removeTree(hiddenName) }
}
