import Foundation
import MultipeerTestSupport
import Synchronization

/// A process of an example, with a person who types and reads. Its identity and what it remembers are in a folder of its own, and it is on
/// the loopback interface.
final class Program: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Where examples are built: beside the tests.
    static let folder = URL(fileURLWithPath: Repository.program ?? "multipeer").deletingLastPathComponent()

    private let process = Mutex<Process?>(nil)
    private let input: FileHandle
    private let all = Shown()
    private let lines: AsyncStream<String>
    private let end: AsyncStream<Int32>
    private let home: Scratch

    /// - Parameters:
    ///   - program: An example's name, or the path of a program.
    ///   - home: Where the example keeps what it remembers.
    init(_ program: String, _ arguments: [String], home: Scratch? = nil) throws {
        self.home = try home ?? Scratch()
        let process = Process()
        process.executableURL =
            program.hasPrefix("/") ? URL(fileURLWithPath: program) : Self.folder.appendingPathComponent(program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging([
            "HOME": self.home.path, "XDG_DATA_HOME": self.home / "data", "XDG_CACHE_HOME": self.home / "cache",
            "XDG_CONFIG_HOME": self.home / "config", "MULTIPEER_INTERFACE": "lo", "SWIFT_BACKTRACE": "enable=no",
        ]) { $1 }
        let (output, typed) = (Pipe(), Pipe())
        for pipe in [output, typed] {
            keepFromOtherChildren(pipe.fileHandleForReading.fileDescriptor, pipe.fileHandleForWriting.fileDescriptor)
        }
        process.standardOutput = output
        process.standardError = output
        process.standardInput = typed
        input = typed.fileHandleForWriting
        let (end, ended) = AsyncStream.makeStream(of: Int32.self)
        self.end = end
        process.terminationHandler = { process in
            Running.ended(process.processIdentifier)
            // A signal is reported as shells report it.
            let status = process.terminationStatus
            ended.yield(process.terminationReason == .uncaughtSignal ? 128 + status : status)
            ended.finish()
        }
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        try process.run()
        Running.began(process.processIdentifier, isRunning: process.isRunning)
        self.process.withLock { $0 = process }
        // Without `self`, so that the process ends when nobody needs it any more.
        Thread.detachNewThread { [all] in Self.read(output.fileHandleForReading, into: all, line) }
    }

    private static func read(_ handle: FileHandle, into all: Shown, _ line: AsyncStream<String>.Continuation) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            // FileHandle's own reading waits for a whole buffer.
            let count = Glibc.read(handle.fileDescriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            rest += buffer[..<count]
            while let feed = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let text = String(decoding: rest[..<feed], as: UTF8.self)
                rest.removeSubrange(...feed)
                all.append(text + "\n")
                line.yield(text)
            }
        }
        all.append(String(decoding: rest, as: UTF8.self))
        line.finish()
    }

    /// Everything that came so far.
    var shown: String { all.text }

    /// Types a line.
    func type(_ line: String) { try? input.write(contentsOf: Data((line + "\n").utf8)) }

    /// Waits for the next line with a text in it. Lines before it are passed over.
    @discardableResult
    func sees(_ text: String) async throws -> String {
        for await line in lines where line.contains(text) { return line }
        throw Failure(description: "no \(text) in:\n\(shown)")
    }

    /// Types the last line, or ends the input, and waits for the end.
    func ends(typing line: String? = nil) async -> Int32 {
        if let line { type(line) } else { try? input.close() }
        for await status in end { return status }
        return -1
    }

    /// Ends the process as a crash would.
    func crash() { process.withLock { if let process = $0 { kill(process.processIdentifier, SIGKILL) } } }

    deinit {
        process.withLock { process in
            if let process, process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
    }

    private final class Shown: Sendable {
        private let content = Mutex("")

        var text: String { content.withLock { $0 } }
        func append(_ text: String) { content.withLock { $0 += text } }
    }
}

/// A name that no other test has: all of them are on one loopback interface.
func ownName(_ name: String) -> String {
    name + "-" + String((0..<6).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement() ?? "x" })
}

/// The programs that still run. They end with the tests' process, whatever became of the test that started them.
private enum Running {
    private static let all = Mutex<Set<Int32>>([])

    static func began(_ id: Int32, isRunning: Bool) {
        _ = atTheEnd
        if isRunning { all.withLock { _ = $0.insert(id) } }
    }

    static func ended(_ id: Int32) { all.withLock { _ = $0.remove(id) } }

    private static func endAll() { for id in all.withLock({ $0 }) { kill(id, SIGKILL) } }

    private static let atTheEnd: Void = { atexit { Running.endAll() } }()
}
