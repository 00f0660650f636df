import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file of a listening Unix socket, which outlives its listener unless someone removes it.
struct UnixSocketFile: Sendable {
    private let path: String
    private let device: UInt64
    private let inode: UInt64

    /// The socket that has just been bound at `path`.
    init?(boundAt path: String) {
        guard let status = Self.status(of: path), Self.isSocket(status) else { return nil }
        self.path = path
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Removes the file, unless another one has taken its place.
    func remove() {
        guard let status = Self.status(of: path), UInt64(status.st_dev) == device, UInt64(status.st_ino) == inode
        else { return }
        // SAFETY: the string becomes a C string that lives during the call.
        _ = unsafe unlink(path)
    }

    /// Makes room at `path`: removes a socket at which nobody listens, and nothing else.
    ///
    /// Between looking and binding somebody else can come; the bind fails then.
    static func makeRoom(at path: String, group: any EventLoopGroup) async throws(BindError) {
        guard let status = status(of: path) else { return }
        guard isSocket(status) else { throw .pathOccupied }
        do {
            let channel = try await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get()
            channel.close(promise: nil)
        } catch let error as IOError where error.errnoCode == ECONNREFUSED {
            // SAFETY: as above.
            _ = unsafe unlink(path)
            return
        } catch {
            throw BindError(error)
        }
        throw .addressInUse
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        // SAFETY: lstat writes one stat; the string becomes a C string that lives during the call.
        return unsafe lstat(path, &status) == 0 ? status : nil
    }

    private static func isSocket(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFSOCK }
}
