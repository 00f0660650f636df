internal import CFileSystem
import Glibc

/// A file descriptor with one owner. It is closed when the owner is destroyed. All calls block.
///
/// This is the C border of the target. Strings become C strings for the length of a call. Incoming names have been
/// checked for NUL bytes (``FilePath/checkName(_:)`` or ``open(_:_:mode:)``), which are the only unsafe thing in them.
struct OpenFile: ~Copyable, Sendable {
    /// Only this type and its extensions use it.
    let descriptor: Int32
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

    /// Sets the permissions of the file.
    func setPermissions(_ mode: mode_t) throws(StorageError) {
        guard uninterrupted({ fchmod(descriptor, mode) }) == 0 else { throw .last(.write, path) }
    }

    /// Sets the time of the last change, in seconds since 1970. A time that the disk cannot keep is left out (R15.8-3).
    func setModified(_ seconds: UInt64) {
        guard let seconds = time_t(exactly: seconds) else { return }
        // UTIME_OMIT leaves the time of the last access as it is; the header has it as a cast that Swift does not read.
        let omitted = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
        let times = [omitted, timespec(tv_sec: seconds, tv_nsec: 0)]
        // SAFETY: two times, as the call reads, and only during the call.
        _ = unsafe times.withUnsafeBufferPointer { unsafe futimens(descriptor, $0.baseAddress) }
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

    /// Waits until all data of the file's whole disk is on it.
    func synchroniseDisk() throws(StorageError) {
        guard uninterrupted({ multipeer_sync_disk(descriptor) }) == 0 else { throw .last(.synchronise, path) }
    }

    /// Waits for the exclusive lock of the file. File systems without locks are no error: nobody can take the lock then.
    func lock() { _ = uninterrupted { flock(descriptor, LOCK_EX) } }

    /// Takes the exclusive lock of the file. Returns false if another process holds it.
    func tryLock() throws(StorageError) -> Bool {
        if uninterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw .last(.lock, path) }
        return false
    }
}
