import Foundation
import MultipeerStorage
import Testing

/// A directory that goes with its owner.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "multipeer-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static func / (directory: Scratch, name: String) -> String { directory.path + "/" + name }

    /// Names of all entries, hidden ones too, sorted.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

    func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o600) throws -> String {
        let file = self / name
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        try write(name, Array(text.utf8), mode: mode)
    }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: self / name)))
    }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: self / name)[.posixPermissions] as? Int
    }
}

/// The storage error of a body, or nil.
func asyncStorageError(_ body: () async throws -> Void) async -> StorageError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StorageError
    }
}

func storageError(_ body: () throws -> Void) -> StorageError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StorageError
    }
}
