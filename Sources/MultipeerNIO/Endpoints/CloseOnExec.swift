import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension Channel {
    /// Keeps the socket from programs that this process runs: one that inherits it can read and write the peer's stream, and
    /// keeps the connection, or the port, after this process has closed it.
    ///
    /// NIO (2.101) makes and accepts sockets without the flag, so a program that another thread starts in between still has
    /// the socket. To be called in a channel's initializer.
    func setCloseOnExec() throws {
        _ = try pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            fcntl(socket, F_SETFD, FD_CLOEXEC)
        }
    }
}
