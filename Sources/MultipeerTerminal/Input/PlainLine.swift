import Glibc

/// A line that the terminal itself lets a person edit, where this library cannot.
enum PlainLine {
    /// How often to check whether the question is still open, in milliseconds.
    private static let patience: Int32 = 200

    /// Returns the next line, or nil at the end of the input or if the question is no longer open. The call blocks.
    static func read(limit: Int, unless cancellation: Cancellation) -> String? {
        var line: [UInt8] = []
        while !cancellation.isSet, line.count < limit {
            var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // SAFETY: one entry, as said.
            let ready = unsafe poll(&entry, 1, patience)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            var byte: UInt8 = 0
            // SAFETY: writes at most one byte.
            let count = unsafe Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
