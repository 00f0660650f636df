import Glibc

/// A folder with a file to send, and one for what comes of it. Both go in the end.
final class ScratchFolder: Sendable {
    let path: String

    /// Makes a file of `fileLength` bytes that do not repeat in the folder for temporary files (`TMPDIR`).
    init(fileLength: Int) throws {
        path = try Self.temporaryFolder()
        guard mkdir(received, 0o700) == 0 else { throw WorkloadFailure.reference(errno) }
        try Self.writeBytes(fileLength, to: source)
    }

    deinit {
        unlink(source)
        for folder in [received, path] { rmdir(folder) }
    }

    /// The file to send.
    var source: String { path + "/file" }
    /// The folder for what comes.
    var received: String { path + "/received" }
    /// Where the file comes to.
    var target: String { received + "/file" }

    /// What arrived goes again, so that every transfer makes a new file.
    func removeTarget() throws {
        guard unlink(target) == 0 else { throw WorkloadFailure.reference(errno) }
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
