import Glibc
public import MultipeerCore
public import MultipeerCrypto
public import MultipeerWire

/// A file or folder that is sent to a peer. It is read in chunks and watched for changes, so that the peer gets what was
/// announced. A folder is read as one sequence of bytes, its manifest first (SPEC §15.8).
public final class OutgoingFile: Sendable {
    /// The greatest length of one read, in bytes.
    public static let maximumChunk = 1_048_576

    private enum Content: ~Copyable {
        case file(OpenFile)
        case folder(FolderReader)
    }

    /// The path of the file.
    public let path: String
    /// The size in bytes, at the time when it was opened.
    public let length: UInt64
    /// The kind that the peer sees: also whether its owner may execute it.
    public let kind: FileKind
    /// When the file was last changed, in seconds since 1970; 0 if that is before, and for a folder.
    public let modified: UInt64
    /// The length of a folder's manifest, in bytes; 0 for a file.
    public let manifest: UInt64
    /// What a folder holds and is not sent.
    public let omitted: OmittedMembers
    /// What distinguishes the content, as it is now, from every other one of this host.
    let fingerprint: [UInt8]
    private let content: Content
    private let status: FileStatus

    /// The last component of the path; of a path that ends in `.` or `..`, that of the folder which it leads to.
    public let name: String

    private init(_ file: consuming OpenFile, status: FileStatus, path: String) {
        self.path = path
        name = FilePath.lastName(of: path)
        self.status = status
        content = .file(file)
        length = UInt64(status.size)
        kind = status.fileKind
        modified = status.modifiedTime
        manifest = 0
        omitted = OmittedMembers()
        fingerprint = status.fingerprint
    }

    private init(_ folder: FolderReader, status: FileStatus, path: String) {
        self.path = path
        name = FilePath.lastName(of: path)
        self.status = status
        content = .folder(folder)
        length = folder.length
        kind = .folder
        modified = 0
        manifest = folder.manifestLength
        omitted = folder.omitted
        fingerprint = folder.fingerprint
    }

    /// Opens a regular file, or a folder and looks at everything in it. A symbolic link is followed, because the user names
    /// it; links in a folder are not.
    /// - Throws: ``StorageError``, with ``StorageError/Reason/unknownSize`` if the system states another size than the
    ///   file has, as it does for most files in /proc and /sys.
    public static func open(_ path: String) async throws(StorageError) -> OutgoingFile {
        try await BlockingWork.run(.open, path) { () throws(StorageError) in
            let file = try OpenFile.open(path, O_RDONLY | O_NONBLOCK)
            let status = try file.status()
            switch status.kind {
            case S_IFDIR: return OutgoingFile(try FolderReader(file, path: path), status: status, path: path)
            case S_IFREG:
                try Self.checkSize(of: file, status.size)
                return OutgoingFile(file, status: status, path: path)
            default: throw StorageError(.open, path, .notRegularFile)
            }
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
        try HeldBeginning.hashing(min(length, self.length), with: digest, path: path) {
            (bytes, offset) throws(StorageError) in try fill(&bytes, from: offset)
        }
    }

    /// Fills `bytes` from `offset`. The whole range must lie within the file. The call blocks.
    func fill(_ bytes: inout [UInt8], from offset: UInt64) throws(StorageError) {
        switch content {
        case .folder(let folder): try folder.fill(&bytes, from: offset)
        case .file(let file):
            let wanted = bytes.count
            var span = bytes.mutableSpan
            let got = wanted == 0 ? 0 : try file.read(into: &span, at: Int64(offset))
            guard got == wanted, try file.status() == status else {
                throw StorageError(.read, path, .changedWhileReading)
            }
        }
    }
}
