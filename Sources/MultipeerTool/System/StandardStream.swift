import Glibc

/// One of the three standard streams of a process.
struct StandardStream: Equatable, Sendable {
    static let input = StandardStream(descriptor: STDIN_FILENO)
    static let output = StandardStream(descriptor: STDOUT_FILENO)
    static let error = StandardStream(descriptor: STDERR_FILENO)

    let descriptor: Int32

    /// Whether the stream is a terminal.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The width of the terminal in columns, or nil if there is no terminal or its width is unknown.
    var columns: Int? {
        var size = winsize()
        // SAFETY: TIOCGWINSZ writes one winsize, which outlives the call.
        let status = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        return status == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    /// Writes all bytes. Returns false if the reader is gone or the device fails. SIGPIPE is ignored (``Signals``).
    func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                // SAFETY: `sent` is below `count`, so start and length lie inside the array.
                unsafe Glibc.write(descriptor, buffer.baseAddress! + sent, buffer.count - sent)
            }
            if count < 0 {
                guard errno == EINTR || errno == EAGAIN else { return false }
                waitUntilWritable()
            } else {
                sent += count
            }
        }
        return true
    }

    /// Waits until there is room for some bytes, or the reader is gone. A signal may end the wait early.
    func waitUntilWritable() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // SAFETY: one entry, as said.
        _ = unsafe poll(&entry, 1, -1)
    }
}
