import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file of a listening Unix socket. NIO removes it when the listener closes, but it outlives a program that is
/// killed.
enum UnixSocketFile {
    /// Makes room at `path`. It removes a socket at which nobody listens, and nothing else.
    ///
    /// Another program can take the path between this check and binding. Binding fails then.
    static func makeRoom(at path: String, group: any EventLoopGroup) async throws(BindError) {
        guard let status = status(of: path) else { return }
        guard isSocket(status) else { throw .pathOccupied }
        do {
            let channel = try await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get()
            channel.close(promise: nil)
        } catch let error as IOError where error.errnoCode == ECONNREFUSED {
            // SAFETY: the C string of the path lives for the call.
            _ = unsafe unlink(path)
            return
        } catch {
            throw BindError(error)
        }
        throw .addressInUse
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        // SAFETY: lstat writes one stat. The C string of the path lives for the call.
        return unsafe lstat(path, &status) == 0 ? status : nil
    }

    private static func isSocket(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFSOCK }
}
