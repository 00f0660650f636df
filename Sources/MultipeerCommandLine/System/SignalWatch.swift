import Dispatch
import Glibc
import MultipeerTerminal

/// Reports SIGINT, SIGTERM and SIGHUP while it lives. A second signal ends the process at once, as people expect.
///
/// It uses a handler and a pipe. On Linux, libdispatch's own signal sources miss signals that arrive during their
/// setup, and require that the process ignores those signals. A process can have one watch at a time.
package final class SignalWatch: Sendable {
    /// The signals that this watch reports.
    private let numbers: [Int32]
    // SAFETY: this is written before the handlers are installed, and only they read it. It is a number and therefore
    // initialised statically, because a handler must not run lazy initialisers.
    private nonisolated(unsafe) static var writeEnd: Int32 = -1

    // SAFETY: as for `writeEnd`; once the handlers are installed, only the one of SIGINT uses it, which does not interrupt itself.
    private nonisolated(unsafe) static var interruptsLeft: Int32 = 0

    // SAFETY: after its creation it is only cancelled, and dispatch objects may be used on any thread.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// Creates a watch. Returns nil if the process has no descriptors left; signals then keep their default effect.
    /// - Parameter reportsTwice: Whether a second SIGINT is reported as well, and only a third one ends the process at once.
    init?(reportsTwice: Bool = false, _ action: @escaping @Sendable (Int32) -> Void) {
        var ends: [Int32] = [-1, -1]
        // SAFETY: writes two descriptors.
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let readEnd = ends[0]
        unsafe Self.writeEnd = ends[1]
        unsafe Self.interruptsLeft = reportsTwice ? 1 : 0
        let source = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: DispatchQueue(label: "signals"))
        source.setEventHandler {
            var number: UInt8 = 0
            // SAFETY: writes at most one byte.
            while unsafe read(readEnd, &number, 1) == 1 { action(Int32(number)) }
        }
        source.setCancelHandler { close(readEnd) }
        source.resume()
        unsafe self.source = source
        // A process that `nohup` has started is meant to survive its terminal.
        numbers = [SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP])
        for number in numbers { _ = signal(number, Self.handler) }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        // SAFETY: without a new action, the call only writes the current one.
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        // SAFETY: function pointers can be compared only as numbers. SIG_IGN is no function but the number 1.
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The handler. It does only what POSIX allows there: `write`, `tcsetattr` and `signal`.
    private static let handler: @convention(c) (Int32) -> Void = { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        // SAFETY: this reads one byte. A full pipe already reports a signal.
        _ = unsafe write(SignalWatch.writeEnd, &byte, 1)
        // The command ends, and asks nothing any more.
        TerminalMode.restore()
        if number == SIGINT, unsafe SignalWatch.interruptsLeft > 0 {
            unsafe SignalWatch.interruptsLeft -= 1
        } else {
            // The next signal has its default effect.
            _ = signal(number, SIG_DFL)
        }
        errno = before
    }

    /// Ends the process by a signal.
    static func raise(_ number: Int32) {
        _ = signal(number, SIG_DFL)
        _ = Glibc.raise(number)
    }

    deinit {
        for number in numbers { _ = signal(number, SIG_DFL) }
        // SAFETY: as above.
        unsafe source.cancel()
        // SAFETY: no handler is left that writes.
        unsafe close(Self.writeEnd)
    }
}
