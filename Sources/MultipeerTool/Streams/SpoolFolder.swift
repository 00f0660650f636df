import Glibc
import Multipeer
import MultipeerCommandLine
import MultipeerStorage
import MultipeerTerminal

/// A folder of this user's for files that last as long as a command, in `$XDG_CACHE_HOME/multipeer` or `~/.cache/multipeer`.
///
/// Each command has a folder of its own, and holds a lock on it. A command that was killed could not remove its own: the next one finds
/// it without a lock, and removes it.
struct SpoolFolder: Sendable {
    private static let prefix = "spool-"
    /// What `mkdtemp` appends to it.
    private static let suffixLength = 6
    /// How often a lock that somebody else holds is tried: for five seconds in all.
    private static let tries = 100

    let path: String
    /// Holds the lock as long as it is open.
    private let lock: Int32

    /// Creates the folder, and removes those of commands that are gone. The call blocks.
    static func create() throws(CommandFailure) -> SpoolFolder {
        let parent = try parent()
        // While it is held, nobody takes a folder without a lock for one that is left over.
        guard let all = locked(parent, waits: true) else { throw failure(parent) }
        defer { close(all) }
        sweep(parent)
        var template = Array((parent + "/" + prefix + String(repeating: "X", count: suffixLength)).utf8CString)
        // SAFETY: a C string, which the call changes in its place.
        guard unsafe mkdtemp(&template) != nil else { throw failure(parent) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let lock = locked(path, waits: false) else {
            let failure = failure(path)
            remove(path)
            throw failure
        }
        return SpoolFolder(path: path, lock: lock)
    }

    /// The folder of all of them, which nobody else can change.
    private static func parent() throws(CommandFailure) -> String {
        let path = try cache()
        do throws(StorageError) {
            // Where others may make files, as in /tmp, a link of theirs would lead to a folder in which they want files removed.
            var status = stat()
            // SAFETY: the C string lives for the call.
            if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, status.st_uid != geteuid(),
                status.st_uid != 0
            {
                throw StorageError(.open, path, .ownedByOther(user: status.st_uid))
            }
            try PrivateDirectory.prepare(path)
            try PrivateDirectory.check(path)
        } catch {
            throw CommandFailure(error)
        }
        return path
    }

    /// Removes the folder and its files.
    func remove() {
        Self.remove(path)
        close(lock)
    }

    static func failure(_ path: String) -> CommandFailure {
        CommandFailure(
            "input", "\(SafeText.escape(path)): \(SystemText.describe(errno))",
            remedy: "Make room there, or name another place for such files: XDG_CACHE_HOME", .output)
    }

    private static func cache() throws(CommandFailure) -> String {
        if let path = Environment["XDG_CACHE_HOME"], path.hasPrefix("/") { return path + "/multipeer" }
        guard let home = Environment["HOME"], home.hasPrefix("/") else {
            throw CommandFailure(
                "input", "there is no place for standard input, because HOME is not set",
                remedy: "Set XDG_CACHE_HOME or HOME", .usage)
        }
        return home + "/.cache/multipeer"
    }

    /// Opens a folder, and locks it. Returns nil if that fails, or somebody else holds the lock.
    private static func locked(_ path: String, waits: Bool) -> Int32? {
        // Only the last part must be no link: where the cache is, its user says.
        // SAFETY: the C string lives for the call.
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (waits ? 0 : O_NOFOLLOW))
        guard folder >= 0 else { return nil }
        var tries = waits ? Self.tries : 1
        while flock(folder, LOCK_EX | LOCK_NB) != 0 {
            let reason = errno
            if reason == EINTR { continue }
            tries -= 1
            guard reason == EWOULDBLOCK, tries > 0 else {
                close(folder)
                errno = reason
                return nil
            }
            usleep(50_000)
        }
        return folder
    }

    // MARK: Removing

    private static func sweep(_ parent: String) {
        for name in names(in: parent)
        where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + suffixLength {
            guard let lock = locked(parent + "/" + name, waits: false) else { continue }
            remove(parent + "/" + name)
            close(lock)
        }
    }

    private static func remove(_ path: String) {
        for name in names(in: path) {
            // SAFETY: the C string lives for the call.
            _ = unsafe unlink(path + "/" + name)
        }
        // SAFETY: as above.
        _ = unsafe rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        // SAFETY: the C string lives for the call, and the stream is closed below.
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            // SAFETY: an entry's name is a C string that lives until the next call, and is copied.
            let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
