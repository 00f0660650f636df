import Glibc

/// Reads keys of a terminal that hands over every one (``TerminalMode``).
struct KeyReader {
    /// How often to check whether somebody still wants a key, in milliseconds.
    private static let patience: Int32 = 200
    /// The bytes of one key come together.
    private static let rest: Int32 = 50

    private var decoder = KeyDecoder()

    init() {}

    /// Returns the next key, or nil at the end of the input or if nobody wants one any more. The call blocks.
    mutating func next(unless cancellation: Cancellation) -> Key? {
        while !cancellation.isSet {
            var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // SAFETY: one entry, as said.
            let ready = unsafe poll(&entry, 1, decoder.isWaiting ? Self.rest : Self.patience)
            if ready < 0, errno == EINTR { continue }
            if ready == 0 {
                if let key = decoder.flush() { return key }
                continue
            }
            var byte: UInt8 = 0
            // SAFETY: writes at most one byte.
            let count = unsafe read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if let key = decoder.take(byte) { return key }
        }
        return nil
    }
}
