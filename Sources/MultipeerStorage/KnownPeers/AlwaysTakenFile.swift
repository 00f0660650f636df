public import MultipeerClock
public import MultipeerCrypto

/// The peers whose files a person takes without being asked, in a file of mode 0600 (docs/formats.md).
///
/// It holds only keys. Whether a peer is remembered at all is said by ``KnownPeersFile``; a key that is not remembered
/// there counts for nothing here. Every change takes the lock and replaces the file as a whole.
public struct AlwaysTakenFile: Sendable {
    /// The most keys.
    public static let maximumKeys = 10_000

    /// The path of the file. The file need not exist, but its directory must.
    public let path: String
    private let clock: any SteadyClock

    /// Names a file, which need not exist yet.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - clock: The clock by which a change waits while another process changes the file.
    public init(path: String, clock: any SteadyClock = ContinuousClock()) {
        self.path = path
        self.clock = clock
    }

    /// All keys.
    /// - Throws: `StorageError`: `malformed` unless the file is one that this type has written.
    public func all() async throws(StorageError) -> Set<IdentityKey> {
        let path = path
        return try await BlockingWork.run(.read, path) { () throws(StorageError) in Set(try Self.read(path)) }
    }

    /// From now on files of this peer are taken, or asked about again.
    /// - Returns: Whether that changes something.
    @discardableResult
    public func set(_ key: IdentityKey, isTaken: Bool) async throws(StorageError) -> Bool {
        let (path, clock) = (path, clock)
        return try await BlockingWork.run(.write, path) { () throws(StorageError) in
            try FileLock.holding(path, clock: clock) { () throws(StorageError) in
                var keys = try Self.read(path)
                guard keys.contains(key) != isTaken else { return false }
                if isTaken { keys.append(key) } else { keys.removeAll { $0 == key } }
                guard keys.count <= Self.maximumKeys else {
                    throw StorageError(.write, path, .tooLarge(limit: UInt64(Self.maximumLength)))
                }
                let text = Array((Self.header + "\n" + keys.map { "\($0)\n" }.joined()).utf8)
                try AtomicFile.write(text.span, to: path, .replacing)
                return true
            }
        }
    }

    // MARK: The text

    private static let header = "multipeer-always 1"
    private static let maximumLength = header.utf8.count + 1 + 65 * maximumKeys

    private static func read(_ path: String) throws(StorageError) -> [IdentityKey] {
        let bytes: [UInt8]
        do throws(StorageError) {
            bytes = try BoundedRead.bytes(path, maximumLength: maximumLength, .unchangeable, followingLinks: false)
        } catch {
            guard error.phase == .open, error.reason == .notFound else { throw error }
            return []
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first.map(String.init) == header else { throw StorageError(.read, path, .malformed(line: 1)) }
        guard lines.last == "" else { throw StorageError(.read, path, .malformed(line: lines.count)) }
        var keys: [IdentityKey] = []
        for (index, line) in lines.enumerated().dropFirst().dropLast() {
            guard let key = IdentityKey(String(line)), key.description == line else {
                throw StorageError(.read, path, .malformed(line: index + 1))
            }
            keys.append(key)
        }
        return keys
    }
}
