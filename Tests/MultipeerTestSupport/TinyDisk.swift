import Glibc

/// A file system of one mebibyte in memory. Only the administrator can make one, and not in every container.
package final class TinyDisk: Sendable {
    package static let isAvailable = (try? TinyDisk()) != nil

    private let scratch: Scratch
    package var path: String { scratch / "disk" }

    package struct NotMounted: Error {}

    package init() throws {
        scratch = try Scratch()
        guard mkdir(scratch / "disk", 0o700) == 0, mount("tmpfs", scratch / "disk", "tmpfs", 0, "size=1m,mode=700") == 0
        else { throw NotMounted() }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    /// From now on nothing can be written.
    package func protect() throws {
        let flags = UInt(MS_RDONLY | MS_REMOUNT)
        guard mount("tmpfs", path, "tmpfs", flags, nil) == 0 else { throw NotMounted() }
    }
}
