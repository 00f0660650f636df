import Foundation
import Glibc
import MultipeerTestSupport
import Synchronization

/// A process of the built tool, or of another program, with everything that it writes.
final class Tool: Sendable {
    /// How a process ended, and what it wrote.
    struct Finished: Sendable {
        let status: Int32
        let output: String
        let errors: String

        /// The events of `--json`; what is no JSON fails the test that looks for it.
        var events: [JSONValue] { output.split(separator: "\n").compactMap { JSONValue.parse(String($0)) } }
        /// The same of a tool whose standard output is for something else.
        var errorEvents: [JSONValue] { errors.split(separator: "\n").compactMap { JSONValue.parse(String($0)) } }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The programs beside this test bundle.
    static let multipeer = Repository.program ?? "multipeer"
    static let laboratory = Repository.laboratory ?? "multipeer-lab"

    /// The program that has the command with which these arguments begin.
    static func program(of arguments: [String]) -> String {
        let commands = ["listen", "connect", "decode", "conformance", "vectors"]
        return arguments.first.map(commands.contains) == true ? laboratory : multipeer
    }

    /// A process that has ended reads no more input. To write to it is an error then, and must not end the tests.
    private static let brokenPipesAreErrors: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    private let process = Mutex<Process?>(nil)
    private let output: Collector
    private let errors: Collector
    private let input: FileHandle?
    private let end: AsyncStream<Int32>

    /// Starts a program. Its store is empty unless the arguments name another.
    ///
    /// - Parameter program: By default the one that has the command.
    /// - Parameter readsLines: After how many lines nobody reads its output, until ``readOn()`` or its end.
    init(
        _ arguments: [String], program: String? = nil, hasInput: Bool = false,
        environment: [String: String] = [:], readsLines: Int = .max
    ) throws {
        Self.brokenPipesAreErrors
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? Self.program(of: arguments))
        process.arguments = arguments
        var all = ProcessInfo.processInfo.environment
        all["XDG_DATA_HOME"] = "/nonexistent"
        all["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = all.merging(environment) { $1 }
        let (out, err, into) = (Pipe(), Pipe(), Pipe())
        for pipe in [out, err, into] {
            keepFromOtherChildren(pipe.fileHandleForReading.fileDescriptor, pipe.fileHandleForWriting.fileDescriptor)
        }
        process.standardOutput = out
        process.standardError = err
        process.standardInput = hasInput ? into : FileHandle.nullDevice
        input = hasInput ? into.fileHandleForWriting : nil
        let (end, ended) = AsyncStream.makeStream(of: Int32.self)
        self.end = end
        process.terminationHandler = { process in
            // A signal is reported as shells report it.
            let status = process.terminationStatus
            ended.yield(process.terminationReason == .uncaughtSignal ? 128 + status : status)
            ended.finish()
        }
        try process.run()
        output = Collector(out.fileHandleForReading, pausesAfter: readsLines)
        errors = Collector(err.fileHandleForReading)
        self.process.withLock { $0 = process }
    }

    /// Types a line. A tool that has ended reads none.
    func type(_ line: String) { try? input?.write(contentsOf: Data((line + "\n").utf8)) }

    /// Ends standard input.
    func endInput() { try? input?.close() }

    /// What came on standard output so far, as events.
    var events: [JSONValue] { output.text.split(separator: "\n").compactMap { JSONValue.parse(String($0)) } }

    /// What came on standard output so far.
    var shown: String { output.text }

    /// What came on standard error so far.
    var warnings: String { errors.text }

    /// Whether the process has not ended.
    var isRunning: Bool { process.withLock { $0?.isRunning ?? false } }

    /// Waits for a line of standard output with `text` in it.
    func line(containing text: String) async throws -> String {
        for await line in output.lines where line.contains(text) { return line }
        throw Failure(description: "no \(text) in:\n\(output.text)\n\(errors.text)")
    }

    /// Waits for an event.
    func event(_ name: String) async throws -> JSONValue {
        let line = try await line(containing: "\"event\":\"\(name)\"")
        guard let event = JSONValue.parse(line) else { throw Failure(description: "no JSON: \(line)") }
        return event
    }

    /// Waits for an event of a tool whose standard output is for something else.
    func errorEvent(_ name: String) async throws -> JSONValue {
        for await line in errors.lines where line.contains("\"event\":\"\(name)\"") {
            if let event = JSONValue.parse(line) { return event }
        }
        throw Failure(description: "no \(name) in:\n\(errors.text)")
    }

    /// Waits for a line of standard error with `text` in it.
    func warning(containing text: String) async throws {
        for await line in errors.lines where line.contains(text) { return }
        throw Failure(description: "no \(text) in:\n\(errors.text)")
    }

    /// Waits for the address at which the tool listens.
    func address() async throws -> String {
        guard let address = try await event("listening")["address"]?.string else {
            throw Failure(description: "no address")
        }
        return address
    }

    func send(_ signal: Int32) {
        process.withLock { process in
            if let process { kill(process.processIdentifier, signal) }
        }
    }

    /// Stops the process. One of its threads has to run before the others stop, which takes a while on a busy machine: the process may do a
    /// lot until then.
    func stop() async throws {
        send(SIGSTOP)
        try await eventually { [identifier] in
            var info = siginfo_t()
            // What is only looked at is left for the one that waits for the process.
            return waitid(P_PID, id_t(identifier), &info, WSTOPPED | WNOWAIT | WNOHANG) == 0
                && info.si_signo == SIGCHLD
        }
    }

    /// The process's identifier, or -1.
    var identifier: Int32 { process.withLock { $0?.processIdentifier ?? -1 } }

    /// Stops listening to standard output, as `head` does.
    func closeOutput() { output.close() }

    /// Continues to read standard output.
    func readOn() { output.readOn() }

    /// Waits for the end.
    func finish() async -> Finished {
        var status: Int32 = -1
        for await value in end { status = value }
        readOn()
        // Only this breaks the cycle of a `Process` and its source in the run loop, and so closes its pipes.
        if status >= 0 { process.withLock { $0?.waitUntilExit() } }
        return Finished(status: status, output: await output.whole(), errors: await errors.whole())
    }

    /// Runs to the end.
    static func run(
        _ arguments: [String], program: String? = nil, input: [UInt8]? = nil,
        environment: [String: String] = [:]
    ) async throws -> Finished {
        let tool = try Tool(arguments, program: program, hasInput: input != nil, environment: environment)
        if let input, let handle = tool.input {
            // A tool that ends early closes its input; that is its right.
            Thread.detachNewThread {
                try? handle.write(contentsOf: Data(input))
                try? handle.close()
            }
        }
        return await tool.finish()
    }

    deinit {
        process.withLock { process in
            if let process, process.isRunning { process.terminate() }
        }
    }
}

/// Reads a pipe to its end, on a thread of its own.
final class Collector: Sendable {
    /// The lines as they come.
    let lines: AsyncStream<String>
    private let handle: FileHandle
    private let all = Mutex<[UInt8]>([])
    private let ended: AsyncStream<Void>
    private let pause = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle, pausesAfter limit: Int = .max) {
        self.handle = handle
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        (self.lines, self.ended) = (lines, ended)
        Thread.detachNewThread { [self] in
            var rest: [UInt8] = []
            var searched = 0
            var count = 0
            var isPaused = false
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                // FileHandle's own reading waits for a whole buffer.
                let length = read(handle.fileDescriptor, &buffer, buffer.count)
                guard length > 0 else { break }
                all.withLock { $0.append(contentsOf: buffer[..<length]) }
                rest.append(contentsOf: buffer[..<length])
                while let feed = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    line.yield(String(decoding: rest[..<feed], as: UTF8.self))
                    rest.removeSubrange(...feed)
                    searched = 0
                    count += 1
                }
                searched = rest.count
                if count >= limit, !isPaused {
                    isPaused = true
                    pause.wait()
                }
            }
            line.finish()
            end.finish()
        }
    }

    var text: String { all.withLock { String(decoding: $0, as: UTF8.self) } }

    func close() { try? handle.close() }

    func readOn() { pause.signal() }

    func whole() async -> String {
        for await _ in ended {}
        return text
    }
}
