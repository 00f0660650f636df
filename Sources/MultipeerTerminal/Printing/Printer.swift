import Dispatch
import Glibc
import Synchronization

/// Prints on a thread of its own, so that a terminal that makes no progress, or a pipe that nobody reads, stops neither
/// a link nor the handling of signals.
///
/// An area stays below everything else that is printed (``AreaPainter``). Where lines cannot be redrawn, of the area there is only what the
/// person is asked, and it is printed again below what came between.
final class Printer: Sendable {
    /// What to do with a line for which there is no room.
    enum Overflow {
        /// The caller's thread waits. This is for commands that do nothing but print.
        case waits
        /// The line is left out and counted.
        case leavesOut
    }

    private struct State {
        var queue = PrintQueue()
        var overflow = Overflow.waits
        /// Whether the command is about to end, and no longer waits for a reader that takes nothing.
        var isHurried = false
        var hasThread = false
        var isBroken = false
        var onBroken: (@Sendable () -> Void)?
        /// Callers that wait until everything has been printed.
        var finishing: [CheckedContinuation<Void, Never>] = []

        /// Callers that need not wait any longer, because everything has been printed, or the reader takes nothing in a
        /// hurry.
        mutating func takeFinished() -> [CheckedContinuation<Void, Never>] {
            guard queue.isIdle || isHurried && queue.isStuck(at: .now) else { return [] }
            defer { finishing = [] }
            return finishing
        }

        /// Whether much waits, and somebody reads it.
        var isCrowded: Bool {
            queue.waiting > PrintQueue.crowded && !isHurried && !isBroken && !queue.isStuck(at: .now)
        }
    }

    /// How many bytes are written at once. A pipe that reports room takes as many without blocking (PIPE_BUF).
    private static let pieceLength = 4_096
    /// How often to look whether the terminal has another size.
    private static let glance = DispatchTimeInterval.milliseconds(300)
    /// How often to look in a hurry whether the reader takes something.
    private static let look: Duration = .milliseconds(100)

    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)
    private let canRedraw: Bool
    private let palette: Palette
    private let omission: @Sendable (Int) -> PrintQueue.Item

    /// - Parameter omission: Makes the line that says how many lines were left out.
    init(canRedraw: Bool, _ palette: Palette, omission: @escaping @Sendable (Int) -> PrintQueue.Item) {
        self.canRedraw = canRedraw
        self.palette = palette
        self.omission = omission
    }

    /// Whether the reader of standard output has gone away.
    var isBroken: Bool { state.withLock(\.isBroken) }

    /// Calls `action` once when the reader of standard output goes away, or at once if it has already gone.
    func whenBroken(_ action: @escaping @Sendable () -> Void) {
        let isBroken = state.withLock { state in
            state.onBroken = action
            return state.isBroken
        }
        if isBroken { action() }
    }

    func leaveOutWhenFull() { state.withLock { $0.overflow = .leavesOut } }

    /// Prints a line. It is not even made if there is no room for it.
    func print(to stream: StandardStream, _ line: () -> [UInt8]) {
        guard hasRoom(for: stream) else { return }
        let item = PrintQueue.Item(stream: stream, bytes: line())
        state.withLock { $0.queue.append(item, omission: omission) }
        wake()
    }

    /// Changes the area below what is printed.
    func change(_ change: (inout ScreenArea) -> Void) {
        state.withLock { $0.queue.change(change) }
        wake()
    }

    private func hasRoom(for stream: StandardStream) -> Bool {
        while true {
            let answer: Bool? = state.withLock { state in
                if state.isBroken, stream == .output { return false }
                if state.queue.hasRoom { return true }
                guard state.overflow == .leavesOut else { return nil }
                state.queue.omit()
                return false
            }
            if let answer { return answer }
            usleep(1_000)
        }
    }

    // MARK: Waiting

    /// Waits while much waits to be printed and somebody reads it. The thread does not block.
    func waitForRoom() async {
        while state.withLock(\.isCrowded), !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// No longer waits for a reader that takes nothing.
    func hurry() { state.withLock { $0.isHurried = true } }

    /// Waits until everything has been printed. In a hurry it gives up a reader that takes nothing.
    ///
    /// The thread that prints says when that is. So it ends also where a clock does not advance, as under libfaketime.
    func finish() async {
        let watching = Task { [self] in
            while !Task.isCancelled {
                tellFinished()
                try? await Task.sleep(for: Self.look)
            }
        }
        await withCheckedContinuation { continuation in
            state.withLock { $0.finishing.append(continuation) }
            tellFinished()
        }
        watching.cancel()
    }

    private func tellFinished() {
        for continuation in state.withLock({ $0.takeFinished() }) { continuation.resume() }
    }

    // MARK: The thread

    private func wake() {
        let mustStart = state.withLock { state in
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if mustStart { OwnThread.start { [self] in run() } }
        work.signal()
    }

    private func run() {
        var painter = AreaPainter()
        var plain = PlainArea(isTerminal: StandardStream.error.isTerminal)
        var size: TerminalSize?
        while true {
            wait(since: size)
            while let batch = state.withLock({ $0.queue.takeBatch(omission: omission) }) {
                guard canRedraw else {
                    put(plain.begin(batch))
                    for item in batch.items { write(item) }
                    put(plain.end(batch))
                    continue
                }
                let now = StandardStream.error.size ?? .usual
                let image = AreaLayout(size: now, palette: palette).image(of: batch.area)
                size = now
                if TerminalMode.wasStopped {
                    TerminalMode.noteRedrawn()
                    painter.forget()
                }
                if batch.items.isEmpty {
                    put(painter.redraw(image, columns: now.columns))
                } else {
                    put(painter.erase(columns: now.columns))
                    for item in batch.items { write(item) }
                    put(painter.draw(image))
                }
            }
            tellFinished()
        }
    }

    /// Waits for work. The area is drawn again for a terminal that has another size than before, or that others have used.
    private func wait(since size: TerminalSize?) {
        while canRedraw, state.withLock({ !$0.queue.area.isEmpty }) {
            if work.wait(timeout: .now() + Self.glance) == .success { return }
            guard TerminalMode.wasStopped || StandardStream.error.size ?? .usual != size else { continue }
            return state.withLock { $0.queue.drawAgain() }
        }
        work.wait()
    }

    private func put(_ text: String) {
        if !text.isEmpty { _ = StandardStream.error.write(Array(text.utf8)) }
    }

    private func write(_ item: PrintQueue.Item) {
        var sent = 0
        while sent < item.bytes.count, !(item.stream == .output && isBroken) {
            let end = min(sent + Self.pieceLength, item.bytes.count)
            item.stream.waitUntilWritable()
            guard item.stream.write(Array(item.bytes[sent..<end])) else {
                if item.stream == .output { noteBroken() }
                break
            }
            state.withLock { $0.queue.noteWritten(end - sent) }
            sent = end
        }
        state.withLock { $0.queue.noteWritten(item.bytes.count - sent) }
    }

    private func noteBroken() {
        let action = state.withLock { state in
            state.isBroken = true
            return state.onBroken
        }
        action?()
    }
}
