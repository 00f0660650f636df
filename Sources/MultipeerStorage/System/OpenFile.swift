internal import CFileSystem
import Glibc

/// A file descriptor with one owner. It is closed when the owner is destroyed. All calls block.
///
/// This is the C border of the target. Strings become C strings for the length of a call. Incoming names have been
/// checked for NUL bytes (``FilePath/checkName(_:)`` or ``open(_:_:mode:)``), which are the only unsafe thing in them.
struct OpenFile: ~Copyable, Sendable {
    private let descriptor: Int32
    /// The path, which only errors use.
    let path: String

    deinit { _ = Glibc.close(descriptor) }

    /// Opens a file with `flags`, and always with close-on-exec.
    static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(StorageError) -> OpenFile {
        // A NUL would end the path early, and the call would open something else.
        guard !path.utf8.contains(0), !path.isEmpty else { throw StorageError(.open, path, .unsafeName) }
        let descriptor = uninterrupted { unsafe Glibc.open(path, flags | O_CLOEXEC, mode) }
        guard descriptor >= 0 else { throw .last(.open, path) }
        return OpenFile(descriptor: descriptor, path: path)
    }

    /// Opens an existing regular file. A pipe or device in its place does not block the call, and is not read.
    static func openRegular(_ path: String, followingLinks: Bool) throws(StorageError) -> OpenFile {
        let file = try open(path, O_RDONLY | O_NONBLOCK | (followingLinks ? 0 : O_NOFOLLOW))
        let status = try file.status()
        guard status.kind != S_IFDIR else { throw StorageError(.open, path, .isDirectory) }
        guard status.kind == S_IFREG else { throw StorageError(.open, path, .notRegularFile) }
        return file
    }

    /// Creates a file that did not exist, without following a link, and with access for its owner only.
    func create(_ name: String) throws(StorageError) -> OpenFile {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let new = uninterrupted { unsafe openat(descriptor, name, flags, mode_t(0o600)) }
        guard new >= 0 else { throw .last(.write, path + "/" + name) }
        return OpenFile(descriptor: new, path: path + "/" + name)
    }

    func status() throws(StorageError) -> FileStatus {
        var status = stat()
        // SAFETY: the pointer is to a local and used during the call only.
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last(.open, path) }
        return FileStatus(status)
    }

    /// Reads up to `bytes.count` bytes at `offset`. Returns 0 at the end.
    func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws(StorageError) -> Int {
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            // SAFETY: the buffer is ours during the call, and its count is passed along.
            uninterrupted { unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
        }
        guard count >= 0 else { throw .last(.read, path) }
        return count
    }

    /// Writes all bytes after those that were written before.
    func write(_ bytes: Span<UInt8>) throws(StorageError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                // SAFETY: the buffer is ours during the call, and its count is passed along.
                uninterrupted { unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
            }
            guard count >= 0 else { throw .last(.write, path) }
            rest = rest.extracting(droppingFirst: count)
        }
    }

    /// Begins to write a range to the disk, so that ``synchronise()`` waits for less.
    func beginWriteback(from offset: UInt64, count: UInt64) {
        // This is only a hint. A failure changes nothing.
        _ = multipeer_begin_writeback(descriptor, Int64(clamping: offset), Int64(clamping: count))
    }

    /// Waits until all data is on the disk.
    func synchronise() throws(StorageError) {
        guard uninterrupted({ fsync(descriptor) }) == 0 else { throw .last(.synchronise, path) }
    }

    /// Waits for the exclusive lock of the file. File systems without locks are no error: nobody can take the lock then.
    func lock() { _ = uninterrupted { flock(descriptor, LOCK_EX) } }

    /// Takes the exclusive lock of the file. Returns false if another process holds it.
    func tryLock() throws(StorageError) -> Bool {
        if uninterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw .last(.lock, path) }
        return false
    }

    // The following calls treat this descriptor as a directory.

    /// Opens a directory.
    static func openDirectory(_ path: String) throws(StorageError) -> OpenFile {
        try open(path, O_RDONLY | O_DIRECTORY)
    }

    /// Opens a file for reading, without following a link and without waiting for a pipe.
    func open(_ name: String) throws(StorageError) -> OpenFile {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = uninterrupted { unsafe openat(descriptor, name, flags) }
        guard file >= 0 else { throw .last(.open, path + "/" + name) }
        return OpenFile(descriptor: file, path: path + "/" + name)
    }

    /// Returns the names in the directory that `isWanted` accepts. Names that are not UTF-8 are left out.
    func names(where isWanted: (String) -> Bool) throws(StorageError) -> [String] {
        // The stream takes over its descriptor.
        let copy = uninterrupted { unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard copy >= 0, let stream = unsafe fdopendir(copy) else { throw .last(.read, path) }
        // SAFETY: this is the only use after the loop.
        defer { _ = unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream), let offset = MemoryLayout<dirent>.offset(of: \.d_name) {
            // SAFETY: the entry holds a C string at this offset, until the next call.
            let text = unsafe (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            if let name = unsafe String(validatingCString: text), isWanted(name) { names.append(name) }
        }
        return names
    }

    /// Renames `name` to `newName`, and replaces an existing file.
    func rename(_ name: String, replacing newName: String) throws(StorageError) {
        guard unsafe renameat(descriptor, name, descriptor, newName) == 0 else {
            throw .last(.publish, path + "/" + newName)
        }
    }

    /// Renames `name` to `newName`. If that exists, throws ``StorageError/Reason/alreadyExists``.
    func rename(_ name: String, unlessExists newName: String) throws(StorageError) {
        if unsafe multipeer_rename_noreplace(descriptor, name, newName) == 0 { return }
        // File systems without this flag may have hard links, which do not replace anything either.
        guard errno == EINVAL || errno == ENOSYS else { throw .last(.publish, path + "/" + newName) }
        guard unsafe linkat(descriptor, name, descriptor, newName, 0) == 0 else {
            throw .last(.publish, path + "/" + newName)
        }
        remove(name)
    }

    /// Removes `name`. If it does not exist, that is no error. Other errors are ignored, because nobody can act on
    /// them.
    func remove(_ name: String) {
        _ = unsafe unlinkat(descriptor, name, 0)
    }
}

/// The status of an open file.
struct FileStatus: Equatable, Sendable {
    /// The kind: S_IFREG, S_IFDIR, ….
    let kind: mode_t
    /// The lower nine permission bits.
    let permissions: UInt32
    /// The user that the file belongs to.
    let owner: UInt32
    let size: Int64
    /// These fields reveal a changed file: its identity, and the time of its last change in nanoseconds.
    let device: UInt64
    let inode: UInt64
    let modified: Int64

    init(_ status: stat) {
        kind = status.st_mode & S_IFMT
        permissions = UInt32(status.st_mode & 0o777)
        owner = UInt32(status.st_uid)
        size = Int64(status.st_size)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
