import Glibc

/// Handlers that give the terminal its mode back before a signal does what it would have done.
enum DeadlySignals {
    private static let count = 65

    // SAFETY: written for a signal before its handler is installed; the handler alone reads it then. It lives as long as the process.
    private nonisolated(unsafe) static var previous: UnsafeMutablePointer<sigaction>?

    /// Handles a signal, unless it is ignored. Other handlers are called afterwards; a program that handles requests to end itself
    /// calls ``TerminalMode/restore()`` there.
    static func handle(_ number: Int32) {
        if unsafe previous == nil {
            unsafe previous = .allocate(capacity: count)
            unsafe previous!.initialize(repeating: sigaction(), count: count)
        }
        var current = sigaction()
        // SAFETY: without a new action, the call only writes the current one.
        guard unsafe sigaction(number, nil, &current) == 0 else { return }
        // SAFETY: function pointers can be compared only as numbers.
        let address = unsafe unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self)
        let (standard, ignoring, own) = unsafe (
            unsafeBitCast(SIG_DFL, to: Int.self), unsafeBitCast(SIG_IGN, to: Int.self),
            unsafeBitCast(handler, to: Int.self)
        )
        guard address != own else { return }
        // Swift's runtime handles the others at a terminal, to print where the program was.
        let isRequest = [SIGINT, SIGTERM, SIGHUP].contains(number)
        guard address == standard || (!isRequest && address != ignoring) else { return }
        // SAFETY: numbers of signals are below `count`.
        unsafe previous![Int(number)] = current
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = handler
        // A crash may have used up the stack, or come while the signal is blocked.
        action.sa_flags = SA_ONSTACK | SA_NODEFER
        // SAFETY: one action, read by the call.
        _ = unsafe sigaction(number, &action, nil)
    }

    private static let handler: @convention(c) (Int32) -> Void = { number in
        TerminalMode.restore()
        guard let previous = unsafe DeadlySignals.previous else { return }
        // SAFETY: written before this handler was installed.
        _ = unsafe sigaction(number, previous + Int(number), nil)
        raise(number)
    }
}
