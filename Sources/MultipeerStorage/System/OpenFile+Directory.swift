internal import CFileSystem
import Glibc

/// Calls that treat the descriptor as a directory.
extension OpenFile {
    /// Opens a directory.
    static func openDirectory(_ path: String) throws(StorageError) -> OpenFile {
        try open(path, O_RDONLY | O_DIRECTORY)
    }

    /// What everybody may do with a new file, as far as the process's umask and the folder's rules let them.
    static let usualFileMode: mode_t = 0o666
    /// The same for a new folder.
    static let usualFolderMode: mode_t = 0o777

    /// Creates a file that did not exist, without following a link, and with access for its owner only unless more is said.
    func create(_ name: String, mode: mode_t = 0o600) throws(StorageError) -> OpenFile {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let new = uninterrupted { unsafe openat(descriptor, name, flags, mode) }
        guard new >= 0 else { throw .last(.write, path + "/" + name) }
        return OpenFile(descriptor: new, path: path + "/" + name)
    }

    /// Opens a file of this directory for reading, and for writing after its end, without following a link.
    func openForAppending(_ name: String) throws(StorageError) -> OpenFile {
        let flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = uninterrupted { unsafe openat(descriptor, name, flags) }
        guard file >= 0 else { throw .last(.open, path + "/" + name) }
        return OpenFile(descriptor: file, path: path + "/" + name)
    }

    /// Opens a directory in this directory, without following a link.
    func openDirectory(_ name: String) throws(StorageError) -> OpenFile {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let directory = uninterrupted { unsafe openat(descriptor, name, flags) }
        guard directory >= 0 else { throw .last(.open, path + "/" + name) }
        return OpenFile(descriptor: directory, path: path + "/" + name)
    }

    /// Creates a directory, for its owner only unless more is said. Returns false if something has that name.
    @discardableResult
    func createDirectory(_ name: String, mode: mode_t = 0o700) throws(StorageError) -> Bool {
        if unsafe mkdirat(descriptor, name, mode) == 0 { return true }
        guard errno == EEXIST else { throw .last(.createDirectory, path + "/" + name) }
        return false
    }

    /// Opens a file for reading, without following a link and without waiting for a pipe.
    func open(_ name: String) throws(StorageError) -> OpenFile {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = uninterrupted { unsafe openat(descriptor, name, flags) }
        guard file >= 0 else { throw .last(.open, path + "/" + name) }
        return OpenFile(descriptor: file, path: path + "/" + name)
    }

    /// The status of what has a name here, without opening it or following a link; nil if there is none.
    func statusOfEntry(_ name: String) -> FileStatus? {
        var status = stat()
        // SAFETY: the pointer is to a local and used during the call only.
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return FileStatus(status)
    }

    /// The status of what has a name here, without following a link; nil if it cannot be opened.
    func status(of name: String) -> FileStatus? {
        guard let file = try? open(name) else { return nil }
        return try? file.status()
    }

    /// Removes a file of this user that no process has locked. Returns whether it did.
    func removeUnlessUsed(_ name: String) -> Bool {
        guard let file = try? open(name), let status = try? file.status() else { return false }
        // The lock lasts as long as the descriptor.
        defer { withExtendedLifetime(file) {} }
        guard status.kind == S_IFREG, status.owner == geteuid(), (try? file.tryLock()) == true else { return false }
        remove(name)
        return true
    }

    /// Returns the names in the directory that `isWanted` accepts. Names that are not UTF-8 are left out, and counted if that is wanted.
    func names(
        where isWanted: (String) -> Bool, otherwise noteOther: (String) -> Void = { _ in }
    ) throws(StorageError) -> [String] {
        // The stream takes over its descriptor.
        let copy = uninterrupted { unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard copy >= 0, let stream = unsafe fdopendir(copy) else { throw .last(.read, path) }
        // SAFETY: this is the only use after the loop.
        defer { _ = unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream), let offset = MemoryLayout<dirent>.offset(of: \.d_name) {
            // SAFETY: the entry holds a C string at this offset, until the next call.
            let text = unsafe (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            if let name = unsafe String(validatingCString: text) {
                if isWanted(name) { names.append(name) }
            } else {
                unsafe noteOther(String(cString: text))
            }
        }
        return names
    }

    /// The name that the disk has given to what was just called `name`. Some disks leave out full stops at the end of a name.
    func actualName(of name: String) throws(StorageError) -> String {
        // What all disks hold needs no look at a folder that may be long.
        guard !FolderNames.isPortable(Array(name.utf8)), let status = statusOfEntry(name) else { return name }
        let (all, bytes) = (try names { _ in true }, Array(name.utf8))
        if all.contains(where: { Array($0.utf8) == bytes }) { return name }
        return all.first { statusOfEntry($0)?.isSameFile(as: status) == true } ?? name
    }

    /// Renames `name` to `newName`, and replaces an existing file.
    func rename(_ name: String, replacing newName: String) throws(StorageError) {
        guard unsafe renameat(descriptor, name, descriptor, newName) == 0 else {
            throw .last(.publish, path + "/" + newName)
        }
    }

    /// Renames `name` to `newName`. If that exists, throws ``StorageError/Reason/alreadyExists``.
    func rename(_ name: String, unlessExists newName: String) throws(StorageError) {
        try move(name, to: self, unlessExists: newName)
    }

    /// Moves `name` into another directory of the same disk. If `newName` exists there, throws
    /// ``StorageError/Reason/alreadyExists``.
    func move(
        _ name: String, to directory: borrowing OpenFile, unlessExists newName: String
    ) throws(StorageError) {
        if unsafe multipeer_rename_noreplace(descriptor, name, directory.descriptor, newName) == 0 { return }
        // File systems without this flag may have hard links, which do not replace anything either.
        guard errno == EINVAL || errno == ENOSYS else { throw .last(.publish, directory.path + "/" + newName) }
        if unsafe linkat(descriptor, name, directory.descriptor, newName, 0) == 0 { return remove(name) }
        guard errno != EEXIST else { throw .last(.publish, directory.path + "/" + newName) }
        // Disks over FUSE have neither, and NFS has no links of folders.
        try moveOverReserved(name, to: directory, newName)
    }

    /// Takes the new name with something empty, which nobody else can do then, and replaces that. A process that is killed between leaves
    /// it there.
    private func moveOverReserved(
        _ name: String, to directory: borrowing OpenFile, _ newName: String
    ) throws(StorageError) {
        let path = directory.path + "/" + newName
        let isFolder = statusOfEntry(name)?.kind == S_IFDIR
        if isFolder {
            guard unsafe mkdirat(directory.descriptor, newName, 0o700) == 0 else { throw .last(.publish, path) }
        } else {
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let file = uninterrupted { unsafe openat(directory.descriptor, newName, flags, 0o600) }
            guard file >= 0 else { throw .last(.publish, path) }
            _ = Glibc.close(file)
        }
        guard unsafe renameat(descriptor, name, directory.descriptor, newName) != 0 else { return }
        let error = StorageError.last(.publish, path)
        _ = unsafe unlinkat(directory.descriptor, newName, isFolder ? AT_REMOVEDIR : 0)
        throw error
    }

    /// Removes `name`. If it does not exist, that is no error. Other errors are ignored, because nobody can act on
    /// them.
    func remove(_ name: String) {
        _ = unsafe unlinkat(descriptor, name, 0)
    }

    /// Removes a directory of ours with everything in it, without following links. Errors are ignored: what cannot be removed
    /// stays.
    func removeTree(_ name: String, depth: Int = 0) {
        // Deeper than any folder that this package makes.
        guard depth < 64, let directory = try? openDirectory(name) else { return }
        for entry in (try? directory.names(where: { $0 != "." && $0 != ".." })) ?? [] {
            if directory.statusOfEntry(entry)?.kind == S_IFDIR {
                directory.removeTree(entry, depth: depth + 1)
            } else {
                directory.remove(entry)
            }
        }
        removeDirectory(name)
    }

    /// Removes the directory `name` if it is empty. Errors are ignored.
    func removeDirectory(_ name: String) {
        _ = unsafe unlinkat(descriptor, name, AT_REMOVEDIR)
    }
}
