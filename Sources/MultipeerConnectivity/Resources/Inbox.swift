import Foundation
import Glibc
import MultipeerClock
import Synchronization

/// The folder into which resources come. What has come whole moves to a place of its own in it, where it stays for a while: apps mostly
/// move it when they are on another queue, after the delegate's method has returned.
///
/// The folder of a kept identity stays, so that what stopped halfway can continue. What had come whole goes with the
/// process, and where that was killed, with the next one.
final class Inbox: Sendable {
    /// How long a resource stays after the app has heard of it.
    static let time: Duration = .seconds(60)
    /// How many may stay, and how many bytes beside the newest one. Beyond that the oldest go: a peer must not fill the disk with what no
    /// app wants.
    static let most = 64
    static let mostBytes: UInt64 = 1_073_741_824
    private static let prefix = "complete-"

    let path: String
    private let isKept: Bool
    private let clock: any SteadyClock
    private let state = Mutex(State())

    private struct State {
        /// Where resources stay that have come whole, and the lock that says that this process lives.
        var complete: (path: String, lock: Int32)?
        var lastNumber = 0
        /// What the app has heard of, oldest first.
        var released: [(folder: URL, bytes: UInt64)] = []

        /// Takes out what is too much.
        mutating func takeExcess() -> [URL] {
            var excess: [URL] = []
            while released.count > Inbox.most
                || released.count > 1 && released.dropLast().reduce(0, { $0 + $1.bytes }) > Inbox.mostBytes
            {
                excess.append(released.removeFirst().folder)
            }
            return excess
        }
    }

    init(at path: String, isKept: Bool, clock: any SteadyClock) {
        self.path = path
        self.isKept = isKept
        self.clock = clock
        if isKept { Self.sweep(path) } else { Leftovers.add(path) }
    }

    deinit {
        let complete = state.withLock { $0.complete }
        for gone in [complete?.path, isKept ? nil : path].compactMap(\.self) { Leftovers.remove(gone) }
        if let lock = complete?.lock { Glibc.close(lock) }
    }

    /// Takes a resource that has come whole, and returns where it is from now on.
    func take(_ file: String) -> URL {
        let (name, source) = (URL(fileURLWithPath: file).lastPathComponent, URL(fileURLWithPath: file))
        guard let place = place() else { return source }
        let url = URL(fileURLWithPath: place).appendingPathComponent(name)
        do {
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(
                atPath: place, withIntermediateDirectories: false, attributes: attributes)
            try FileManager.default.moveItem(at: source, to: url)
            return url
        } catch {
            return source
        }
    }

    /// The app has heard of a resource. It goes in a minute, unless the app has moved it.
    func release(_ url: URL) {
        let folder = url.deletingLastPathComponent()
        // What could not be moved apart has a name that another resource may get.
        guard folder.path != path else { return Self.remove(url) }
        // A folder counts as nothing, and is one of a bounded number.
        let size = (try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? NSNumber
        let excess = state.withLock { state in
            state.released.append((folder, size?.uint64Value ?? 0))
            return state.takeExcess()
        }
        for folder in excess { Self.remove(folder) }
        Task { [self] in
            try? await clock.sleep(until: clock.now.advanced(by: Self.time), tolerance: nil)
            state.withLock { $0.released.removeAll { $0.folder == folder } }
            Self.remove(folder)
        }
    }

    private static func remove(_ url: URL) { try? FileManager.default.removeItem(at: url) }

    /// A folder for one resource, which does not exist yet.
    private func place() -> String? {
        state.withLock { state in
            if state.complete == nil { state.complete = begin() }
            state.lastNumber += 1
            return state.complete.map { $0.path + "/\(state.lastNumber)" }
        }
    }

    private func begin() -> (path: String, lock: Int32)? {
        let folder = path + "/" + Self.prefix + UUID().uuidString
        guard unsafe mkdir(folder, 0o700) == 0 else { return nil }
        guard let lock = Self.lock(folder) else { return nil }
        Leftovers.add(folder)
        return (folder, lock)
    }

    /// Removes what processes have left that live no more.
    private static func sweep(_ path: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] where name.hasPrefix(prefix) {
            let folder = path + "/" + name
            guard let lock = lock(folder) else { continue }
            try? FileManager.default.removeItem(atPath: folder)
            Glibc.close(lock)
        }
    }

    /// Locks a folder of this process, or of one that has ended; nil if its process lives.
    private static func lock(_ folder: String) -> Int32? {
        // SAFETY: the C string lives for the length of the call.
        let file = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        if flock(file, LOCK_EX | LOCK_NB) == 0 { return file }
        Glibc.close(file)
        return nil
    }
}

/// Folders that go when the process ends.
private enum Leftovers {
    private static let all = Mutex<Set<String>>([])

    static func add(_ path: String) {
        _ = atTheEnd
        all.withLock { _ = $0.insert(path) }
    }

    static func remove(_ path: String) {
        guard all.withLock({ $0.remove(path) }) != nil else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    private static let atTheEnd: Void = {
        atexit {
            for path in Leftovers.all.withLock({ $0 }) { Leftovers.remove(path) }
        }
    }()
}
