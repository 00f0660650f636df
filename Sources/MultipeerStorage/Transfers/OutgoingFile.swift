/// A file that goes out to a peer: read in chunks, and watched, so that what was announced is what is sent.
public final class OutgoingFile: Sendable {
    /// The most bytes of one read.
    public static let maximumChunk = 1_048_576

    /// Where the file is.
    public let path: String
    /// Its size in bytes, as it was when it was opened.
    public let length: UInt64
    private let file: OpenFile
    private let status: FileStatus

    /// The last component of the path.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    private init(_ file: consuming OpenFile, status: FileStatus, path: String) {
        self.path = path
        self.status = status
        self.file = file
        length = UInt64(status.size)
    }

    /// Opens a regular file; links are followed, because the user names the file.
    public static func open(_ path: String) async throws(StorageError) -> OutgoingFile {
        try await BlockingWork.run(.open, path) { () throws(StorageError) in
            let file = try OpenFile.openRegular(path, followingLinks: true)
            let status = try file.status()
            return OutgoingFile(file, status: status, path: path)
        }
    }

    /// Reads `count` bytes at `offset`, fewer only at the end of the file.
    /// - Parameter offset: Where to begin, in bytes.
    /// - Parameter count: At most ``maximumChunk``; more are not read.
    /// - Throws: ``StorageError``: ``StorageError/Reason/changedWhileReading`` when the file is not what it was when it was
    ///   opened. Whoever has read the whole file to hash it first, and reads it again to send it, is told as well.
    public func read(at offset: UInt64, count: Int) async throws(StorageError) -> [UInt8] {
        try await BlockingWork.run(.read, path) { [self] () throws(StorageError) in
            let left = length - min(offset, length)
            let wanted = Int(min(left, UInt64(max(0, min(count, Self.maximumChunk)))))
            var bytes = [UInt8](repeating: 0, count: wanted)
            try fill(&bytes, from: offset)
            return bytes
        }
    }

    /// Fills `bytes` with what stands at `offset`, all of which lies within the file. Blocks.
    func fill(_ bytes: inout [UInt8], from offset: UInt64) throws(StorageError) {
        let wanted = bytes.count
        var span = bytes.mutableSpan
        let got = wanted == 0 ? 0 : try file.read(into: &span, at: Int64(offset))
        guard got == wanted, try file.status() == status else {
            throw StorageError(.read, path, .changedWhileReading)
        }
    }
}
