internal import CFileSystem
import Glibc

/// A file descriptor with one owner, closed when the owner goes. All calls block.
///
/// The C border of this target. Strings become C strings for the length of a call; the names that come in have been
/// checked for NUL bytes (``FilePath/checkName(_:)`` or ``open(_:_:mode:)``), which is all that makes them unsafe.
struct OpenFile: ~Copyable, Sendable {
    private let descriptor: Int32
    /// For errors only.
    let path: String

    deinit { _ = Glibc.close(descriptor) }

    /// Opens with `flags`, always close-on-exec.
    static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(StorageError) -> OpenFile {
        // A NUL would end the path early, and open something else.
        guard !path.utf8.contains(0), !path.isEmpty else { throw StorageError(.open, path, .unsafeName) }
        let descriptor = uninterrupted { unsafe Glibc.open(path, flags | O_CLOEXEC, mode) }
        guard descriptor >= 0 else { throw .last(.open, path) }
        return OpenFile(descriptor: descriptor, path: path)
    }

    /// Opens an existing regular file. A pipe or device in its place neither blocks nor is read.
    static func openRegular(_ path: String, followingLinks: Bool) throws(StorageError) -> OpenFile {
        let file = try open(path, O_RDONLY | O_NONBLOCK | (followingLinks ? 0 : O_NOFOLLOW))
        let status = try file.status()
        guard status.kind != S_IFDIR else { throw StorageError(.open, path, .isDirectory) }
        guard status.kind == S_IFREG else { throw StorageError(.open, path, .notRegularFile) }
        return file
    }

    /// Makes a file that did not exist, through no link, for its owner alone.
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

    /// Reads up to `bytes.count` bytes at `offset`; 0 at the end.
    func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws(StorageError) -> Int {
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            // SAFETY: the buffer is ours during the call, and its count is passed along.
            uninterrupted { unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
        }
        guard count >= 0 else { throw .last(.read, path) }
        return count
    }

    /// Writes everything, behind what was written before.
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

    /// Lets the disk begin with a range that was written, so that ``synchronise()`` has less to wait for.
    func beginWriteback(from offset: UInt64, count: UInt64) {
        // Only a hint: that it fails changes nothing.
        _ = multipeer_begin_writeback(descriptor, Int64(clamping: offset), Int64(clamping: count))
    }

    /// Waits until everything is on the disk.
    func synchronise() throws(StorageError) {
        guard uninterrupted({ fsync(descriptor) }) == 0 else { throw .last(.synchronise, path) }
    }

    /// Takes the lock of the file for this process alone; false when another one has it.
    func tryLock() throws(StorageError) -> Bool {
        if uninterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw .last(.lock, path) }
        return false
    }

    // What follows treats this descriptor as a directory.

    /// Opens a directory.
    static func openDirectory(_ path: String) throws(StorageError) -> OpenFile {
        try open(path, O_RDONLY | O_DIRECTORY)
    }

    /// Gives `name` the name `newName`, replacing what is there.
    func rename(_ name: String, replacing newName: String) throws(StorageError) {
        guard unsafe renameat(descriptor, name, descriptor, newName) == 0 else {
            throw .last(.publish, path + "/" + newName)
        }
    }

    /// Gives `name` the name `newName`, unless something has it: then ``StorageError/Reason/alreadyExists``.
    func rename(_ name: String, unlessExists newName: String) throws(StorageError) {
        if unsafe multipeer_rename_noreplace(descriptor, name, newName) == 0 { return }
        // File systems that do not know the flag may know hard links, which never replace anything either.
        guard errno == EINVAL || errno == ENOSYS else { throw .last(.publish, path + "/" + newName) }
        guard unsafe linkat(descriptor, name, descriptor, newName, 0) == 0 else {
            throw .last(.publish, path + "/" + newName)
        }
        remove(name)
    }

    /// Removes `name`. That it is gone already is no error, and nobody can do anything about another one.
    func remove(_ name: String) {
        _ = unsafe unlinkat(descriptor, name, 0)
    }
}

/// What is known of an open file.
struct FileStatus: Equatable, Sendable {
    /// S_IFREG, S_IFDIR, ….
    let kind: mode_t
    /// The lower nine bits.
    let permissions: UInt32
    let size: Int64
    /// Tells a changed file: identity and time of the last change, in nanoseconds.
    let device: UInt64
    let inode: UInt64
    let modified: Int64

    init(_ status: stat) {
        kind = status.st_mode & S_IFMT
        permissions = UInt32(status.st_mode & 0o777)
        size = Int64(status.st_size)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
