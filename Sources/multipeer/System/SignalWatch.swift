import Dispatch
import Glibc

/// Tells of SIGINT and SIGTERM while it lives; a second one ends the process at once, as people expect.
///
/// By a handler and a pipe: libdispatch's own signal sources miss signals on Linux that come while they are set up, and
/// need them to be ignored meanwhile. One at a time in a process.
final class SignalWatch: Sendable {
    private static let numbers = [SIGINT, SIGTERM]
    // SAFETY: written before the handlers are there, and read by them alone. A number, so initialised statically: a
    // handler must not run lazy initialisers.
    private nonisolated(unsafe) static var writeEnd: Int32 = -1

    // SAFETY: only cancelled after it is made; dispatch objects may be used on any thread.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// Nil when the process has no descriptors left; signals then do what they do by themselves.
    init?(_ action: @escaping @Sendable (Int32) -> Void) {
        var ends: [Int32] = [-1, -1]
        // SAFETY: writes two descriptors.
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let readEnd = ends[0]
        unsafe Self.writeEnd = ends[1]
        let source = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: DispatchQueue(label: "signals"))
        source.setEventHandler {
            var number: UInt8 = 0
            // SAFETY: writes at most one byte.
            while unsafe read(readEnd, &number, 1) == 1 { action(Int32(number)) }
        }
        source.setCancelHandler { close(readEnd) }
        source.resume()
        unsafe self.source = source
        for number in Self.numbers { _ = signal(number, Self.handler) }
    }

    /// Only what POSIX allows in a handler: `write` and `signal`.
    private static let handler: @convention(c) (Int32) -> Void = { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        // SAFETY: reads one byte. A full pipe tells of a signal already.
        _ = unsafe write(SignalWatch.writeEnd, &byte, 1)
        // Back to what the system does, for the next one.
        _ = signal(number, SIG_DFL)
        errno = before
    }

    deinit {
        for number in Self.numbers { _ = signal(number, SIG_DFL) }
        // SAFETY: as above.
        unsafe source.cancel()
        // SAFETY: no handler is left that writes.
        unsafe close(Self.writeEnd)
    }
}
