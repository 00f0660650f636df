import Glibc

/// Signals that a command handles.
package enum Signals {
    /// Makes a write to a pipe or socket without a reader fail, where it would kill the process.
    static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}
