public import MultipeerCertificates
public import MultipeerCrypto

/// A store of known peers in a file of mode 0600 (docs/formats.md).
///
/// Every operation takes the lock, reads the file again and replaces it as a whole. Processes that share the file
/// therefore do not lose each other's entries, and a power cut leaves the old file or the new one.
public struct KnownPeersFile: KnownPeersStore {
    /// The path of the file. The file need not exist, but its directory must.
    public let path: String

    /// Creates a store at `path`.
    public init(path: String) {
        self.path = path
    }

    /// Returns all known peers, in the order of first use.
    public func all() async throws(StorageError) -> [KnownPeer] {
        try await withPeers { (peers) throws(StorageError) in (peers, nil) }
    }

    public func knownPeer(named name: DisplayName) async throws(KnownPeersStoreFailure) -> KnownPeer? {
        do throws(StorageError) {
            return try await all().first { $0.name == name }
        } catch {
            throw KnownPeersStoreFailure(error)
        }
    }

    public func rememberIfUnknown(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> RememberOutcome {
        do throws(StorageError) {
            return try await withPeers { (peers) throws(StorageError) in
                if let known = peers.first(where: { $0.name == peer.name }) { return (.alreadyKnown(known), nil) }
                guard peers.count < KnownPeersText.maximumPeers else {
                    throw StorageError(.write, path, .tooLarge(limit: UInt64(KnownPeersText.maximumLength)))
                }
                return (.nowRemembered, peers + [peer])
            }
        } catch {
            throw KnownPeersStoreFailure(error)
        }
    }

    public func forget(_ name: DisplayName) async throws(KnownPeersStoreFailure) -> Bool {
        do throws(StorageError) {
            return try await withPeers { (peers) throws(StorageError) in
                let kept = peers.filter { $0.name != name }
                return kept.count == peers.count ? (false, nil) : (true, kept)
            }
        } catch {
            throw KnownPeersStoreFailure(error)
        }
    }

    /// Runs `body` under the lock with the content of the file. If `body` returns new content, writes it.
    private func withPeers<Value: Sendable>(
        _ body: @escaping @Sendable ([KnownPeer]) throws(StorageError) -> (Value, replacement: [KnownPeer]?)
    ) async throws(StorageError) -> Value {
        let path = path
        return try await BlockingWork.run(.read, path) { () throws(StorageError) in
            try FileLock.holding(path) { () throws(StorageError) in
                let (value, replacement) = try body(Self.read(path))
                if let replacement {
                    let text = KnownPeersText.encode(replacement)
                    try AtomicFile.write(text.span, to: path, .replacing)
                }
                return value
            }
        }
    }

    private static func read(_ path: String) throws(StorageError) -> [KnownPeer] {
        let text: [UInt8]
        do throws(StorageError) {
            text = try BoundedRead.bytes(
                path, maximumLength: KnownPeersText.maximumLength, .unchangeable, followingLinks: false)
        } catch {
            // If there is no file yet, no peer is known. Every other failure is an error.
            guard error.phase == .open, error.reason == .notFound else { throw error }
            return []
        }
        return try KnownPeersText.decode(text, path: path)
    }
}

extension KnownPeersFile {
    /// Returns the text of a file with these peers, for storage other than a file of this system. No two of the peers
    /// may have the same name.
    public static func text(of peers: [KnownPeer]) -> [UInt8] { KnownPeersText.encode(peers) }

    /// Reads the text of a file of known peers.
    /// - Parameters:
    ///   - text: The whole text.
    ///   - place: The text that errors show in place of a path.
    public static func parse(_ text: [UInt8], place: String) throws(StorageError) -> [KnownPeer] {
        guard text.count <= KnownPeersText.maximumLength else {
            throw StorageError(.read, place, .tooLarge(limit: UInt64(KnownPeersText.maximumLength)))
        }
        return try KnownPeersText.decode(text, path: place)
    }
}

extension KnownPeersStoreFailure {
    /// Creates the error that a validator sees from an error on disk.
    public init(_ error: StorageError) {
        switch (error.phase, error.reason) {
        case (_, .busy): self = .busy
        case (.read, .malformed), (.read, .unsupportedVersion): self = .damaged
        case (.write, .tooLarge): self = .full
        case (.write, _), (.synchronise, _), (.publish, _): self = .unwritable
        default: self = .unreadable
        }
    }
}
