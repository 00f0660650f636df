import Glibc
import MultipeerCore
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

    /// The directory that holds the folder.
    private let directory: OpenFile
    private let hiddenName: String
    private let root: OpenFile
    /// What has another name than at its sender.
    private(set) var renamed = RenamedMembers()
    private var buffer = [UInt8](repeating: 0, count: Self.step)

    private init(_ root: consuming OpenFile, hiddenName: String, in directory: consuming OpenFile) {
        self.root = root
        self.hiddenName = hiddenName
        self.directory = directory
    }

    /// Creates the hidden folder.
    static func begin(_ name: String, in path: String) throws(StorageError) -> FolderWriter {
        let directory = try OpenFile.openDirectory(path)
        let hiddenName = FilePath.hidden(SanitizedFileName.portable(name), suffix: Self.suffix)
        try directory.createDirectory(hiddenName, mode: OpenFile.usualFolderMode)
        let root = try directory.openDirectory(hiddenName)
        // A process that finds the folder without a lock knows that it was abandoned.
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
        let filling = Filling(tree: FolderTree(manifest, contentAt: length), folder: FolderTree.root)
        try fill(directory.openDirectory(hiddenName), filling, from: file)
    }

    /// One folder that is being filled: its number in the tree, its path in the manifest, and that on this disk.
    private struct Filling {
        let tree: FolderTree
        var folder: Int
        var path: [[UInt8]] = []
        var localPath: [String] = []

        func part(of child: Int) -> [UInt8] { Array(tree.nodes[child].part) }

        func entering(_ child: Int, as name: String) -> Filling {
            Filling(tree: tree, folder: child, path: path + [part(of: child)], localPath: localPath + [name])
        }
    }

    /// Makes everything that is in one folder (R15.8-2).
    private mutating func fill(
        _ place: borrowing OpenFile, _ filling: Filling, from file: borrowing OpenFile
    ) throws(StorageError) {
        let children = filling.tree.nodes[filling.folder].children
        var names = FolderNames()
        var others: [Int] = []
        // A disk that changes a name by itself must not give it that of another one, so the names that all disks hold come first.
        let portable = children.map { FolderNames.isPortable(filling.part(of: $0)) }
        for isPortable in [true, false] {
            for (child, _) in zip(children, portable).filter({ $0.1 == isPortable }) {
                if try !makeAsNamed(child, in: place, filling, from: file) { others.append(child) }
            }
        }
        if portable.contains(false) { try check(place, filling, except: Set(others)) }
        for child in others.sorted() {
            let name = try makeOther(child, &names, in: place, filling, from: file)
            note(child, as: try place.actualName(of: name), filling)
        }
    }

    /// Makes a member under its own name. Returns false if it has none that is safe, if the disk does not hold it, or takes it for that of
    /// another one.
    private mutating func makeAsNamed(
        _ child: Int, in place: borrowing OpenFile, _ filling: Filling, from file: borrowing OpenFile
    ) throws(StorageError) -> Bool {
        let part = filling.part(of: child)
        guard FolderNames.isKept(part) else { return false }
        let name = String(decoding: part, as: UTF8.self)
        let new: OpenFile?
        do throws(StorageError) {
            new = try place.createMember(name, filling.tree.nodes[child].kind)
        } catch {
            guard error.reason.isAboutName else { throw error }
            return false
        }
        guard let new else { return false }
        try complete(child, new, as: name, filling, from: file)
        return true
    }

    /// Makes a member under the first name that is free, and returns that.
    private mutating func makeOther(
        _ child: Int, _ names: inout FolderNames, in place: borrowing OpenFile, _ filling: Filling,
        from file: borrowing OpenFile
    ) throws(StorageError) -> String {
        let local = SanitizedFileName.derive(fromPart: filling.part(of: child))
        let portable = SanitizedFileName.portable(part: local)
        var wish = local
        while let name = names.next(like: wish) {
            let new: OpenFile?
            do throws(StorageError) {
                new = try place.createMember(name, filling.tree.nodes[child].kind)
            } catch {
                guard error.reason.isAboutName, wish != portable else { throw error }
                wish = portable
                continue
            }
            guard let new else { continue }
            try complete(child, new, as: name, filling, from: file)
            return name
        }
        throw StorageError(.publish, local, .tooManyNames)
    }

    /// Fills a file or folder that has just been made.
    private mutating func complete(
        _ child: Int, _ new: borrowing OpenFile, as name: String, _ filling: Filling, from file: borrowing OpenFile
    ) throws(StorageError) {
        let node = filling.tree.nodes[child]
        guard node.kind != .folder else { return try fill(new, filling.entering(child, as: name), from: file) }
        try copy(node.size, at: node.offset, of: file, to: new)
        try FileAttributes(isExecutable: node.kind == .executable, modified: node.modified).apply(to: new)
    }

    /// Looks whether the disk has changed names by itself, such as one that ends in a full stop.
    private mutating func check(
        _ place: borrowing OpenFile, _ filling: Filling, except others: Set<Int>
    ) throws(StorageError) {
        let present = Set(try place.names { _ in true }.map { Array($0.utf8) })
        for child in filling.tree.nodes[filling.folder].children where !others.contains(child) {
            let part = filling.part(of: child)
            guard !present.contains(part) else { continue }
            note(child, as: try place.actualName(of: String(decoding: part, as: UTF8.self)), filling)
        }
    }

    private mutating func note(_ child: Int, as name: String, _ filling: Filling) {
        let member = filling.entering(child, as: name)
        renamed.add(path: member.path, localPath: member.localPath)
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
            try new.append(buffer.span, at: count - left)
            left -= UInt64(piece)
        }
    }

    /// Puts everything on the disk and gives the folder its name, the first free one. Returns that.
    consuming func publish(as name: String) throws(StorageError) -> PublishedNames.Given {
        do throws(StorageError) {
            try root.synchroniseDisk()
            let published = try PublishedNames.first(for: name) { (candidate) throws(StorageError) in
                try directory.rename(hiddenName, unlessExists: candidate)
            }
            try directory.synchronise()
            return published
        } catch {
            directory.removeTree(hiddenName)
            throw error
        }
    }

    /// Removes what there is.
    consuming func discard() { directory.removeTree(hiddenName) }
}

extension OpenFile {
    /// Creates a file or folder that did not exist; nil if something has the name.
    fileprivate func createMember(_ name: String, _ kind: FileKind) throws(StorageError) -> OpenFile? {
        do throws(StorageError) {
            guard kind == .folder else { return try create(name, mode: Self.usualFileMode) }
            guard try createDirectory(name, mode: Self.usualFolderMode) else { return nil }
            return try openDirectory(name)
        } catch {
            guard error.reason == .alreadyExists else { throw error }
            return nil
        }
    }
}
