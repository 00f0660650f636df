import Dispatch
import Glibc
import MultipeerTerminal
import Synchronization

/// Standard input in pieces, read on a thread of its own and only on demand. It is read once in a process.
package final class StandardInput: Sendable {
    /// The length of a piece, in bytes.
    private static let pieceLength = 65_536

    private let pieces: AsyncStream<[UInt8]>
    private let feed: AsyncStream<[UInt8]>.Continuation
    private let demand = DispatchSemaphore(value: 0)
    private let hasStarted = Mutex(false)
    private let error = Mutex<Int32>(0)

    package init() {
        (pieces, feed) = AsyncStream.makeStream(of: [UInt8].self)
    }

    /// The system's error number if the input could not be read to its end, or zero.
    package var errorNumber: Int32 { error.withLock { $0 } }

    /// Returns the next piece; nil at the end, and if the task is cancelled.
    package func next() async -> [UInt8]? {
        let mustStart = hasStarted.withLock { hasStarted in
            defer { hasStarted = true }
            return !hasStarted
        }
        if mustStart { OwnThread.start { [self] in run() } }
        demand.signal()
        var iterator = pieces.makeAsyncIterator()
        return await iterator.next()
    }

    private func run() {
        defer { feed.finish() }
        while true {
            demand.wait()
            guard let piece = read(), !piece.isEmpty else { return }
            feed.yield(piece)
        }
    }

    private func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: Self.pieceLength)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                // SAFETY: writes at most `count` bytes.
                unsafe Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
            }
            if count >= 0 {
                buffer.removeLast(buffer.count - count)
                return buffer
            }
            guard errno == EINTR else {
                error.withLock { $0 = errno }
                return nil
            }
        }
    }
}
