import Glibc

/// Reads a whole file or standard input, up to a limit.
package enum WholeInput {
    /// An error: the system's error number, or zero if the input is longer than the limit.
    package struct Failure: Error {
        package let errno: Int32

        package init(errno: Int32) { self.errno = errno }
    }

    /// Returns the bytes of the file at `path`, where `-` is standard input. The call blocks.
    package static func read(_ path: String, maximumLength: Int) throws(Failure) -> [UInt8] {
        guard path != "-" else { return try read(descriptor: STDIN_FILENO, maximumLength: maximumLength) }
        // SAFETY: the C string lives for the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        defer { close(descriptor) }
        return try read(descriptor: descriptor, maximumLength: maximumLength)
    }

    private static func read(descriptor: Int32, maximumLength: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                // SAFETY: writes at most `count` bytes.
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count == 0 { return bytes }
            if count < 0 {
                guard errno == EINTR else { throw Failure(errno: errno) }
                continue
            }
            guard bytes.count + count <= maximumLength else { throw Failure(errno: 0) }
            bytes.append(contentsOf: buffer[..<count])
        }
    }
}
