import Foundation
import MultipeerVectors

/// What is committed, and what was built.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func path(_ name: String) -> String { root.appendingPathComponent(name).path }

    /// The program, built beside these tests; nil where only the tests were built.
    static let program: String? = {
        let folder = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
        let path = folder.appendingPathComponent("multipeer").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// All committed vectors; read once, because they have many megabytes.
    private static let read = Result { try VectorSet.read(path: path("Vectors/v1")) }

    static func vectors() throws -> VectorSet { try read.get() }

    /// One committed file.
    static func file(_ name: String) throws -> VectorFile {
        let text = try Data(contentsOf: root.appendingPathComponent("Vectors/v1/" + name))
        return try VectorFile(text: [UInt8](text), file: name)
    }
}

/// A folder that goes when it is no longer used.
final class Scratch {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ name: String, _ text: String) throws -> String {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }
}

/// A program of the system, run to its end.
enum Tool {
    static func run(_ arguments: [String], in folder: URL = Repository.root) throws -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
