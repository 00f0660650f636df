import Glibc
import MultipeerWire

/// The status of an open file.
struct FileStatus: Equatable, Sendable {
    /// The kind: S_IFREG, S_IFDIR, ….
    let kind: mode_t
    /// The lower nine permission bits.
    let permissions: UInt32
    /// The user that the file belongs to.
    let owner: UInt32
    let size: Int64
    /// How many names the file has.
    let links: UInt64
    /// These fields reveal a changed file: its identity, and the time of its last change in nanoseconds.
    let device: UInt64
    let inode: UInt64
    let modified: Int64

    init(_ status: stat) {
        kind = status.st_mode & S_IFMT
        permissions = UInt32(status.st_mode & 0o777)
        owner = UInt32(status.st_uid)
        size = Int64(status.st_size)
        links = UInt64(status.st_nlink)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    /// Whether both are of one file.
    func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

    /// When the file was last changed, in seconds since 1970.
    var modifiedSeconds: Int64 { modified / 1_000_000_000 }

    /// The same as offers say it: 0 for what was before.
    var modifiedTime: UInt64 { UInt64(max(0, modifiedSeconds)) }

    /// What a file is, as offers say it.
    var fileKind: FileKind { permissions & 0o100 == 0 ? .file : .executable }

    /// What distinguishes a file, as it is now, from every other one of this host, in 32 bytes.
    var fingerprint: [UInt8] {
        [device, inode, UInt64(bitPattern: size), UInt64(bitPattern: modified)].flatMap { number in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
        }
    }
}
