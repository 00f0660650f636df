import Foundation
import Synchronization

/// A directory that goes with its owner.
package final class Scratch: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "multipeer-" + UUID().uuidString
        // A store is used only if nobody else can change it, whatever the umask is.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private static let kept = Mutex<[String]>([])

    /// Removes the directory when the process ends: for an owner that lives as long as the process.
    package func removeAtExit() {
        let isFirst = Self.kept.withLock { paths in
            paths.append(path)
            return paths.count == 1
        }
        guard isFirst else { return }
        atexit {
            for path in Scratch.kept.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    /// A new directory that goes when the process of the tests ends.
    package static func forProcess() throws -> String {
        let scratch = try Scratch()
        scratch.removeAtExit()
        lasting.withLock { $0.append(scratch) }
        return scratch.path
    }

    private static let lasting = Mutex<[Scratch]>([])

    package static func / (scratch: Scratch, name: String) -> String { scratch.path + "/" + name }

    /// The names of all entries, hidden ones too, sorted.
    package var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

    package func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self / folder).sorted()
    }

    /// Writes a file, and makes the folders on its path. Returns the path.
    @discardableResult
    package func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o600) throws -> String {
        let file = URL(fileURLWithPath: self / name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return file.path
    }

    @discardableResult
    package func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        try write(name, Array(text.utf8), mode: mode)
    }

    package func read(_ name: String) throws -> [UInt8] { try Self.read(self / name) }

    package static func read(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// The permissions that a new file has here, whatever the umask is; with `x`, of one that every user that may read
    /// it may execute.
    package func usualMode(_ x: Bool = false) throws -> Int {
        let path = self / ".usual-mode"
        let new = open(path, O_CREAT | O_EXCL | O_WRONLY, 0o666)
        guard new >= 0 else { throw POSIXError(.EIO) }
        defer { unlink(path) }
        close(new)
        let mode = try self.mode(".usual-mode") ?? 0
        return x ? mode | (mode & 0o444) >> 2 : mode
    }

    /// The permissions of a file.
    package func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: self / name)[.posixPermissions] as? Int
    }
}
