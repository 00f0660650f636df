import Dispatch
import Glibc

/// Signals that a command answers.
enum Signals {
    /// A pipe or socket whose reader is gone shall fail, not kill.
    static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}

/// Tells of SIGINT and SIGTERM while it lives; a second signal ends the process at once, as people expect.
final class SignalWatch: Sendable {
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    init(_ action: @escaping @Sendable (Int32) -> Void) {
        let queue = DispatchQueue(label: "multipeer.signals")
        let sources = [SIGINT, SIGTERM].map { number in
            // Ignored as a signal; the dispatch source tells of the signal, by another way.
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                // Back to what the system does, for the next one.
                _ = signal(number, SIG_DFL)
                action(number)
            }
            source.resume()
            return source
        }
        // SAFETY: the sources are only cancelled after this, and dispatch objects may be used on any thread.
        unsafe self.sources = sources
    }

    deinit {
        // SAFETY: as above.
        for source in unsafe sources { source.cancel() }
    }
}
