import Glibc

/// Signals that a command answers.
enum Signals {
    /// A pipe or socket whose reader is gone shall fail, not kill.
    static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}
