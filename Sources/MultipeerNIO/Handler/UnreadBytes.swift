import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension Channel {
    /// Whether bytes wait in the channel's socket that were not read. On a loop that was suspended, timers may go off before the sockets are
    /// looked at: NIO runs all tasks that are due before it waits for input again.
    var holdsBytes: Bool {
        let socket = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
        guard let socket else { return false }
        var byte: UInt8 = 0
        // SAFETY: recv writes at most the one byte that it is given, and MSG_PEEK leaves it in the socket.
        return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
}
