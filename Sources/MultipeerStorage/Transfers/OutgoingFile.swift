public import MultipeerCore
public import MultipeerCrypto
public import MultipeerWire

/// A file that is sent to a peer. It is read in chunks and watched for changes, so that the peer gets what was
/// announced.
public final class OutgoingFile: Sendable {
    /// The greatest length of one read, in bytes.
    public static let maximumChunk = 1_048_576

    /// The path of the file.
    public let path: String
    /// The size of the file in bytes, at the time when it was opened.
    public let length: UInt64
    private let file: OpenFile
    private let status: FileStatus

    /// What a peer is told of the file beside its bytes: whether its owner may execute it.
    public var kind: FileKind { status.permissions & 0o100 == 0 ? .file : .executable }

    /// When the file was last changed, in seconds since 1970; 0 if that is before.
    public var modified: UInt64 { UInt64(max(0, status.modifiedSeconds)) }

    /// What tells the file, as it is now, from every other one of this host.
    var fingerprint: [UInt64] {
        [status.device, status.inode, UInt64(bitPattern: status.size), UInt64(bitPattern: status.modified)]
    }

    /// The last component of the path.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    private init(_ file: consuming OpenFile, status: FileStatus, path: String) {
        self.path = path
        self.status = status
        self.file = file
        length = UInt64(status.size)
    }

    /// Opens a regular file. Symbolic links are followed, because the user names the file.
    /// - Throws: ``StorageError``, with ``StorageError/Reason/unknownSize`` if the system states another size than the
    ///   file has, as it does for most files in /proc and /sys.
    public static func open(_ path: String) async throws(StorageError) -> OutgoingFile {
        try await BlockingWork.run(.open, path) { () throws(StorageError) in
            let file = try OpenFile.openRegular(path, followingLinks: true)
            let status = try file.status()
            try Self.checkSize(of: file, status.size)
            return OutgoingFile(file, status: status, path: path)
        }
    }

    /// Checks that the file ends where the system says. The size is announced before the file is read.
    private static func checkSize(of file: borrowing OpenFile, _ size: Int64) throws(StorageError) {
        var last: [UInt8] = [0]
        var span = last.mutableSpan
        let count = try file.read(into: &span, at: max(0, size - 1))
        guard count == Int(min(1, size)) else { throw StorageError(.open, file.path, .unknownSize) }
    }

    /// Reads `count` bytes at `offset`. Returns fewer only at the end of the file.
    /// - Parameter offset: The offset of the first byte.
    /// - Parameter count: The number of bytes, of which at most ``maximumChunk`` are read.
    /// - Throws: ``StorageError``, with ``StorageError/Reason/changedWhileReading`` if the file has changed since it
    ///   was opened. This also protects a sender that reads the file twice, first to hash it and then to send it.
    public func read(at offset: UInt64, count: Int) async throws(StorageError) -> [UInt8] {
        try await BlockingWork.run(.read, path) { [self] () throws(StorageError) in
            let left = length - min(offset, length)
            let wanted = Int(min(left, UInt64(max(0, min(count, Self.maximumChunk)))))
            var bytes = [UInt8](repeating: 0, count: wanted)
            try fill(&bytes, from: offset)
            return bytes
        }
    }

    /// Hashes the first `length` bytes, which a peer says that it holds.
    /// - Throws: ``StorageError``, with ``StorageError/Reason/changedWhileReading`` if the file has changed since it was opened.
    public func beginning(
        ofLength length: UInt64, _ digest: any BulkDigest
    ) async throws(StorageError) -> HeldBeginning {
        try await BlockingWork.run(.read, path) { [self] () throws(StorageError) in
            try hashBeginning(length, digest)
        }
    }

    /// The same, blocking.
    func hashBeginning(_ length: UInt64, _ digest: any BulkDigest) throws(StorageError) -> HeldBeginning {
        let beginning = try file.beginning(length: min(length, self.length), digest)
        guard try file.status() == status else { throw StorageError(.read, path, .changedWhileReading) }
        return beginning
    }

    /// Fills `bytes` from `offset`. The whole range must lie within the file. The call blocks.
    func fill(_ bytes: inout [UInt8], from offset: UInt64) throws(StorageError) {
        let wanted = bytes.count
        var span = bytes.mutableSpan
        let got = wanted == 0 ? 0 : try file.read(into: &span, at: Int64(offset))
        guard got == wanted, try file.status() == status else {
            throw StorageError(.read, path, .changedWhileReading)
        }
    }
}
