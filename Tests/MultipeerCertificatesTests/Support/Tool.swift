import Foundation

/// Runs the real command-line tools that the certificates are checked against.
enum Tool {
    struct Result {
        let status: Int32
        let output: String
        let standardOutput: [UInt8]
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs and gives whatever happened.
    static func run(_ name: String, _ arguments: [String], input: String = "") throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let scratch = try TemporaryDirectory()
        let (out, err, inFile) = (scratch / "out", scratch / "err", scratch / "in")
        for file in [out, err] { try Data().write(to: URL(fileURLWithPath: file)) }
        try Data(input.utf8).write(to: URL(fileURLWithPath: inFile))
        process.standardOutput = FileHandle(forWritingAtPath: out)
        process.standardError = FileHandle(forWritingAtPath: err)
        process.standardInput = FileHandle(forReadingAtPath: inFile)
        try process.run()
        process.waitUntilExit()
        let standardOutput = try Data(contentsOf: URL(fileURLWithPath: out))
        let standardError = try Data(contentsOf: URL(fileURLWithPath: err))
        return Result(
            status: process.terminationStatus,
            output: String(decoding: standardOutput + standardError, as: UTF8.self),
            standardOutput: Array(standardOutput))
    }

    /// Runs and throws unless the tool succeeds.
    @discardableResult
    static func check(_ name: String, _ arguments: [String], input: String = "") throws -> Result {
        let result = try run(name, arguments, input: input)
        guard result.status == 0 else {
            throw Failure(description: "\(name) \(arguments.joined(separator: " ")): \(result.output)")
        }
        return result
    }

    @discardableResult
    static func openssl(_ arguments: String...) throws -> Result { try check("openssl", arguments) }

    @discardableResult
    static func certtool(_ arguments: String...) throws -> Result { try check("certtool", arguments) }
}

/// A directory that goes with its owner.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "multipeer-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static func / (directory: TemporaryDirectory, name: String) -> String { directory.path + "/" + name }

    func write(_ name: String, _ text: String) throws -> String {
        let file = self / name
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = self / name
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }
}

func readBytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
}
