import Foundation

/// Runs programs of the system to their end, such as the tools that certificates are checked against.
package enum Tool {
    package struct Result: Sendable {
        package let status: Int32
        /// Standard output and standard error.
        package let output: String
        package let standardOutput: [UInt8]
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs and gives whatever happened.
    package static func run(
        _ name: String, _ arguments: [String], input: String = "", in folder: String? = nil
    ) throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        let scratch = try Scratch()
        let (out, err) = (try scratch.write("out", ""), try scratch.write("err", ""))
        process.standardOutput = FileHandle(forWritingAtPath: out)
        process.standardError = FileHandle(forWritingAtPath: err)
        process.standardInput = FileHandle(forReadingAtPath: try scratch.write("in", input))
        try process.run()
        process.waitUntilExit()
        let standardOutput = try scratch.read("out")
        return Result(
            status: process.terminationStatus,
            output: String(decoding: standardOutput + (try scratch.read("err")), as: UTF8.self),
            standardOutput: standardOutput)
    }

    /// Runs and throws unless the program succeeds.
    @discardableResult
    package static func check(_ name: String, _ arguments: [String], input: String = "") throws -> Result {
        let result = try run(name, arguments, input: input)
        guard result.status == 0 else {
            throw Failure(description: "\(name) \(arguments.joined(separator: " ")): \(result.output)")
        }
        return result
    }

    @discardableResult
    package static func openssl(_ arguments: String...) throws -> Result { try check("openssl", arguments) }

    @discardableResult
    package static func certtool(_ arguments: String...) throws -> Result { try check("certtool", arguments) }
}
