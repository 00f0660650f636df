import Glibc

/// One of the three standard streams of a process.
public struct StandardStream: Equatable, Sendable {
    /// Standard input.
    public static let input = StandardStream(descriptor: STDIN_FILENO)
    /// Standard output.
    public static let output = StandardStream(descriptor: STDOUT_FILENO)
    /// Standard error.
    public static let error = StandardStream(descriptor: STDERR_FILENO)

    package let descriptor: Int32

    /// Whether the stream is a terminal.
    public var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether lines can be redrawn there: it is a terminal, and one that understands more than text.
    public var canRedraw: Bool {
        let kind = Environment["TERM"] ?? ""
        return isTerminal && !kind.isEmpty && kind != "dumb"
    }

    /// The size of the terminal, or nil if there is no terminal or its size is unknown.
    public var size: TerminalSize? {
        var size = winsize()
        // SAFETY: TIOCGWINSZ writes one winsize, which outlives the call.
        let status = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        guard status == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Writes all bytes. Returns false if the reader is gone or the device fails. SIGPIPE has to be ignored.
    package func write(_ bytes: [UInt8]) -> Bool {
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
    package func waitUntilWritable() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // SAFETY: one entry, as said.
        _ = unsafe poll(&entry, 1, -1)
    }
}

/// The size of a terminal in characters.
public struct TerminalSize: Equatable, Sendable {
    /// What is assumed of a terminal that does not say.
    public static let usual = TerminalSize(columns: 80, rows: 24)

    /// The characters of a line.
    public let columns: Int
    /// The lines.
    public let rows: Int

    /// Describes a size.
    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}
