import Foundation
import Glibc

/// A disk that is not like the usual ones (Scripts/odd-disk). Only the administrator can mount one, and not in every container.
package final class OddDisk: Sendable {
    package static let isAvailable = (try? OddDisk()) != nil

    package struct NotMounted: Error {}

    private let scratch: Scratch
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    package var path: String { scratch / "disk" }

    /// - Parameter options: Those of Scripts/odd-disk.
    package convenience init(_ options: String...) throws { try self.init(options) }

    /// - Parameter options: Those of Scripts/odd-disk.
    package init(_ options: [String]) throws {
        scratch = try Scratch()
        guard geteuid() == 0, access("/dev/fuse", R_OK | W_OK) == 0, mkdir(scratch / "disk", 0o700) == 0 else {
            throw NotMounted()
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Repository.path("Scripts/odd-disk"))
        process.arguments = [scratch / "disk"] + options
        process.standardInput = input
        process.standardOutput = output
        // No other child may keep the disk alive.
        keepFromOtherChildren(
            input.fileHandleForWriting.fileDescriptor, input.fileHandleForReading.fileDescriptor,
            output.fileHandleForReading.fileDescriptor, output.fileHandleForWriting.fileDescriptor)
        try process.run()
        self.process = process
        guard line() == "ready" else { throw NotMounted() }
    }

    /// The next line that the disk says; nil at its end. The call blocks.
    package func line() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(output.fileHandleForReading.fileDescriptor, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// From now on fsync returns, on a disk with `--hold-sync`.
    package func release() { try? input.fileHandleForWriting.write(contentsOf: Data("release\n".utf8)) }

    /// The names in a folder of the disk, as bytes: two forms of one letter are two names.
    package static func names(_ folder: String) throws -> Set<[UInt8]> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder).map { Array($0.utf8) })
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
