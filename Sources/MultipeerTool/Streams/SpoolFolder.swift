import Glibc
import Multipeer
import MultipeerStorage
import MultipeerTerminal

/// A folder of this user's for files that last as long as a command, in `$XDG_CACHE_HOME/multipeer` or `~/.cache/multipeer`.
///
/// Each command has a folder of its own, and holds a lock on it. A command that was killed could not remove its own: the next one finds
/// the lock free, and removes it.
struct SpoolFolder: Sendable {
    private static let prefix = "spool-"
    /// The name of the file that is locked.
    static let lockName = ".lock"

    let path: String
    /// Holds the lock as long as it is open.
    private let lock: Int32

    /// Creates the folder, and removes those of commands that are gone.
    static func create() throws(CommandFailure) -> SpoolFolder {
        let parent = try cache()
        do throws(StorageError) {
            try PrivateDirectory.prepare(parent)
            try PrivateDirectory.check(parent)
        } catch {
            throw CommandFailure(error)
        }
        // While it is held, nobody takes a folder without a lock for one that is left over.
        guard let all = locked(parent + "/" + lockName, waits: true) else { throw failure(parent) }
        defer { close(all) }
        sweep(parent)
        var template = Array((parent + "/" + prefix + "XXXXXX").utf8CString)
        // SAFETY: a C string, which the call changes in its place.
        guard unsafe mkdtemp(&template) != nil else { throw failure(parent) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let lock = locked(path + "/" + lockName, waits: false) else {
            let failure = failure(path)
            remove(path)
            throw failure
        }
        return SpoolFolder(path: path, lock: lock)
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

    /// Opens a file, and locks it. Returns nil if that fails, or somebody else holds the lock.
    private static func locked(_ path: String, waits: Bool) -> Int32? {
        // SAFETY: the C string lives for the call.
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return nil }
        while flock(file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else {
                close(file)
                return nil
            }
        }
        return file
    }

    // MARK: Removing

    private static func sweep(_ parent: String) {
        for name in names(in: parent) where name.hasPrefix(prefix) {
            guard let lock = locked(parent + "/" + name + "/" + lockName, waits: false) else { continue }
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
