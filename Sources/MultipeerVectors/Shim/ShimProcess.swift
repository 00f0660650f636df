internal import Foundation
internal import Synchronization

/// A shim as a child process: lines out, lines in, and a time-out for each answer.
final class ShimProcess {
    /// What a read can come to.
    enum Reading: Equatable {
        case line([UInt8])
        /// The child has ended, or closed its output.
        case ended
        case timedOut
    }

    /// An honest answer is never longer.
    private static let maximumLine = 16 << 20

    private let process = Process()
    private let input: FileHandle
    private let lines: LineBuffer

    /// Starts `sh -c "exec COMMAND"`, so that ending the child ends the shim.
    init(command: String) throws {
        let (toChild, fromChild) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec " + command]
        process.standardInput = toChild
        process.standardOutput = fromChild
        input = toChild.fileHandleForWriting
        let lines = LineBuffer(maximum: Self.maximumLine)
        self.lines = lines
        fromChild.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            lines.append([UInt8](data))
        }
        try process.run()
    }

    /// Writes a line. Returns false if the child no longer reads.
    func write(_ line: String) -> Bool {
        do {
            try input.write(contentsOf: Data((line + "\n").utf8))
            return true
        } catch {
            return false
        }
    }

    /// The next line.
    func read(timeout: Double) -> Reading { lines.next(timeout: timeout) }

    /// The status with which the child ended; waits a little for one that has closed its output.
    func exitStatus() -> Int32? {
        let limit = Date().addingTimeInterval(2)
        while process.isRunning, Date() < limit { Thread.sleep(forTimeInterval: 0.01) }
        return process.isRunning ? nil : process.terminationStatus
    }

    /// Kills the child.
    func end() {
        try? input.close()
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        // Even where it has ended: only this breaks the cycle of a `Process` and its source in the run loop.
        process.waitUntilExit()
    }

    deinit { end() }
}

/// Lines that one thread collects and another takes.
private final class LineBuffer: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var hasEnded = false
        /// Where the search for the next newline continues.
        var searched = 0
    }

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)
    private let maximum: Int

    init(maximum: Int) { self.maximum = maximum }

    /// An empty array means the end.
    func append(_ bytes: [UInt8]) {
        state.withLock { state in
            if bytes.isEmpty || state.bytes.count > maximum { state.hasEnded = true } else { state.bytes += bytes }
        }
        arrived.signal()
    }

    func next(timeout: Double) -> ShimProcess.Reading {
        let limit = DispatchTime.now() + timeout
        while true {
            if let reading = take() { return reading }
            if arrived.wait(timeout: limit) == .timedOut { return take() ?? .timedOut }
        }
    }

    private func take() -> ShimProcess.Reading? {
        state.withLock { state in
            guard let newline = state.bytes[state.searched...].firstIndex(of: 0x0A) else {
                state.searched = state.bytes.count
                return state.hasEnded ? .ended : nil
            }
            let line = Array(state.bytes[..<newline])
            state.bytes.removeFirst(newline + 1)
            state.searched = 0
            return .line(line)
        }
    }
}
