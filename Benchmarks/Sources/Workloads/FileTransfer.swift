import CReference
import Glibc
import MultipeerWire

/// One file from a folder to another over loopback, by the tool or by the C program, in a folder that goes in the end.
public final class FileTransfer {
    private let suite: Suite
    private let folder: ScratchFolder
    private let tool: String

    /// Makes a file of `length` bytes that do not repeat in the folder for temporary files (`TMPDIR`).
    public init(suite: Suite, length: Int) throws {
        self.suite = suite
        tool = try Self.toolBesideThisProgram()
        folder = try ScratchFolder(fileLength: length)
    }

    /// Two processes of the tool.
    public func runTool(_ count: Int) throws {
        for _ in 0..<count {
            try check(tool_transfer(tool, suite.reference, folder.source, folder.received, folder.path + "/store"))
        }
    }

    /// Two threads in C.
    public func runReference(_ count: Int) throws {
        for _ in 0..<count { try check(file_transfer(suite.reference, folder.source, folder.target)) }
    }

    /// What arrived goes again, so that every transfer makes a new file.
    private func check(_ status: Int32) throws {
        guard status == 0 else { throw WorkloadFailure.reference(status) }
        try folder.removeTarget()
    }

    private static func toolBesideThisProgram() throws -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { throw WorkloadFailure.reference(errno) }
        let program = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = program.lastIndex(of: "/") else { throw WorkloadFailure.wrongResult }
        return program[...slash] + "multipeer-lab"
    }
}
