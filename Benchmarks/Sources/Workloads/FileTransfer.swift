import CReference
import Glibc
import MultipeerWire

/// One file from a folder to another over loopback, by the tool or by the C program, in a folder that goes in the end.
public final class FileTransfer {
    private let suite: Suite
    private let folder: String
    private let tool: String

    /// Makes a file of `length` bytes that do not repeat in the folder for temporary files (`TMPDIR`).
    public init(suite: Suite, length: Int) throws {
        self.suite = suite
        tool = try Self.toolBesideThisProgram()
        folder = try Self.temporaryFolder()
        guard mkdir(folder + "/received", 0o700) == 0 else { throw WorkloadFailure.reference(errno) }
        try Self.writeBytes(length, to: source)
    }

    deinit {
        unlink(source)
        for name in ["/received", ""] { rmdir(folder + name) }
    }

    private var source: String { folder + "/file" }
    private var target: String { folder + "/received/file" }

    /// Two processes of the tool.
    public func runTool(_ count: Int) throws {
        for _ in 0..<count {
            try check(tool_transfer(tool, suite.reference, source, folder + "/received", folder + "/store"))
        }
    }

    /// Two threads in C.
    public func runReference(_ count: Int) throws {
        for _ in 0..<count { try check(file_transfer(suite.reference, source, target)) }
    }

    /// What arrived goes again, so that every transfer makes a new file.
    private func check(_ status: Int32) throws {
        guard status == 0, unlink(target) == 0 else { throw WorkloadFailure.reference(status) }
    }

    private static func toolBesideThisProgram() throws -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { throw WorkloadFailure.reference(errno) }
        let program = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = program.lastIndex(of: "/") else { throw WorkloadFailure.wrongResult }
        return program[...slash] + "multipeer"
    }

    private static func temporaryFolder() throws -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/multipeer-benchmark-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw WorkloadFailure.reference(errno) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func writeBytes(_ length: Int, to path: String) throws {
        guard let file = fopen(path, "wx") else { throw WorkloadFailure.reference(errno) }
        defer { fclose(file) }
        var state: UInt64 = 0
        var block = [UInt64](repeating: 0, count: 1 << 17)
        var left = length
        while left > 0 {
            for index in block.indices {
                // A step of Knuth's generator of congruences.
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                block[index] = state
            }
            let count = min(left, 8 * block.count)
            guard fwrite(block, 1, count, file) == count else { throw WorkloadFailure.reference(errno) }
            left -= count
        }
    }
}
