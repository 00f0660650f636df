import Glibc
import Synchronization

/// The mode of the terminal of standard input: by default it edits lines itself; for ``LineInput`` and ``Picker`` it hands over every
/// key, and shows none.
///
/// The terminal gets its mode back however the process ends, SIGKILL apart: at its exit, by a signal, by a crash, and while it is
/// stopped (Ctrl-Z).
package enum TerminalMode {
    /// How many readers want every key.
    private static let readers = Mutex(0)

    // SAFETY: these are written under the lock of `readers`, before the handlers are installed that read them.
    private nonisolated(unsafe) static var original: UnsafeMutablePointer<termios>?
    private nonisolated(unsafe) static var raw: UnsafeMutablePointer<termios>?
    /// 1 while the terminal hands over every key. A handler may read and write a number of this size at any time.
    private nonisolated(unsafe) static var isRaw: sig_atomic_t = 0
    /// 1 after the process was stopped and continued: others have written to the terminal.
    private nonisolated(unsafe) static var hasGoneOn: sig_atomic_t = 0

    /// Signals that end the process and leave no time for its exit.
    private static let deadly = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE]

    /// From now on every key is handed over. Returns false if standard input is no terminal.
    static func enter() -> Bool {
        readers.withLock { readers in
            if readers == 0 {
                guard prepare() else { return false }
                unsafe isRaw = 1
                // SAFETY: `prepare` has made it.
                _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, raw!)
            }
            readers += 1
            return true
        }
    }

    /// Ends what ``enter()`` began.
    static func leave() {
        readers.withLock { readers in
            readers -= 1
            if readers == 0 { restore() }
        }
    }

    /// Gives the terminal its mode back. A handler of signals may call it.
    package static func restore() {
        // SAFETY: see above. POSIX lets a handler call tcsetattr.
        guard unsafe isRaw == 1, let original = unsafe original else { return }
        unsafe isRaw = 0
        _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, original)
    }

    /// Whether the process was stopped, so that what was drawn is not where it was.
    // SAFETY: see above.
    static var wasStopped: Bool { unsafe hasGoneOn == 1 }

    /// What was drawn is drawn anew.
    static func noteRedrawn() {
        // SAFETY: see above.
        unsafe hasGoneOn = 0
    }

    /// Reads the mode, and sees to it that it comes back. Returns false if there is no terminal.
    private static func prepare() -> Bool {
        var mode = termios()
        // SAFETY: writes one termios.
        guard unsafe tcgetattr(STDIN_FILENO, &mode) == 0 else { return false }
        let isFirst = unsafe original == nil
        if isFirst {
            // They live as long as the process.
            unsafe original = .allocate(capacity: 1)
            unsafe raw = .allocate(capacity: 1)
        }
        // SAFETY: allocated above, and never freed.
        unsafe original!.initialize(to: mode)
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        unsafe raw!.initialize(to: mode)
        watch(isFirst: isFirst)
        return true
    }

    // MARK: The ends of a process

    private static func watch(isFirst: Bool) {
        // The program may have given one of them back its default effect since.
        for number in deadly { DeadlySignals.handle(number) }
        guard isFirst else { return }
        atexit { TerminalMode.restore() }
        _ = signal(SIGTSTP, stopped)
        _ = signal(SIGCONT, continued)
    }

    /// Ctrl-Z: the shell gets its terminal, and then the process stops.
    private static let stopped: @convention(c) (Int32) -> Void = { number in
        // SAFETY: as above.
        guard unsafe TerminalMode.isRaw == 1, let original = unsafe TerminalMode.original else {
            signal(number, SIG_DFL)
            raise(number)
            return
        }
        let before = errno
        _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, original)
        signal(number, SIG_DFL)
        // It is delivered when this handler returns.
        raise(number)
        errno = before
    }

    /// The process continues. In the background the terminal is not its own.
    private static let continued: @convention(c) (Int32) -> Void = { _ in
        let before = errno
        signal(SIGTSTP, TerminalMode.stopped)
        // SAFETY: as above.
        if unsafe TerminalMode.isRaw == 1, let raw = unsafe TerminalMode.raw, tcgetpgrp(STDIN_FILENO) == getpgrp() {
            _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, raw)
        }
        unsafe TerminalMode.hasGoneOn = 1
        errno = before
    }
}
