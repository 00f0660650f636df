public import MultipeerCertificates
public import MultipeerClock
public import MultipeerCrypto

/// A store of known peers in a file of mode 0600 (docs/formats.md).
///
/// Every change takes the lock, looks at the file again and replaces it as a whole. Processes that share the file
/// therefore do not lose each other's entries, and a power cut leaves the old file or the new one. A reader needs no
/// lock. Copies of one value share what they have read; the file is read again only when it has changed.
public struct KnownPeersFile: KnownPeersStore {
    /// The path of the file. The file need not exist, but its directory must.
    public let path: String
    private let cache = KnownPeersCache()
    private let clock: any SteadyClock

    /// Creates a store in a file, which need not exist yet.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - clock: The clock by which a change waits while another process changes the file.
    public init(path: String, clock: any SteadyClock = ContinuousClock()) {
        self.path = path
        self.clock = clock
    }

    /// Returns all known peers, in the order of first use.
    public func all() async throws(StorageError) -> [KnownPeer] { try await index().peers }

    /// Returns the entries with this name or label.
    public func peers(named name: DisplayName) async throws(StorageError) -> [KnownPeer] {
        try await index().entries(named: name)
    }

    public func recognise(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> PeerRecognition {
        do throws(StorageError) {
            return try await index().recognise(peer)
        } catch {
            throw KnownPeersStoreFailure(error)
        }
    }

    public func namesakes(of peer: KnownPeer) async throws(KnownPeersStoreFailure) -> [KnownPeer] {
        do throws(StorageError) {
            return try await index().namesakes(of: peer)
        } catch {
            throw KnownPeersStoreFailure(error)
        }
    }

    public func rememberIfUnknown(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> RememberOutcome {
        try await changing { (known) throws(StorageError) in
            switch known.recognise(peer) {
            case .known(let entry): return (.alreadyKnown(entry), nil)
            case .doubtful(let doubt): return (.doubtful(doubt), nil)
            case .unknown: return (.nowRemembered, try adding(peer, to: known.peers))
            }
        }
    }

    public func remember(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) {
        try await changing { (known) throws(StorageError) in
            ((), try adding(peer, to: known.peers.filter { $0.key != peer.key }))
        }
    }

    public func remember(
        _ peer: KnownPeer, verifiedBy verification: KeyVerification
    ) async throws(KnownPeersStoreFailure) {
        try await changing { (known) throws(StorageError) in
            ((), try checked(known.verifying(peer, by: verification)))
        }
    }

    public func forget(_ name: DisplayName) async throws(KnownPeersStoreFailure) -> Bool {
        try await changing { (known) throws(StorageError) in
            let named = Set(known.entries(named: name))
            return named.isEmpty ? (false, nil) : (true, known.peers.filter { !named.contains($0) })
        }
    }

    /// Drops the entries of a key. Returns them.
    public func forget(_ key: IdentityKey) async throws(StorageError) -> [KnownPeer] {
        try await withPeers { (known) throws(StorageError) in
            let entries = known.entries(of: key)
            return (entries, entries.isEmpty ? nil : known.peers.filter { $0.key != key })
        }
    }

    /// Gives the entries of a key a label of this user's, or takes it away. Returns the entries as they are now.
    public func rename(_ key: IdentityKey, to label: DisplayName?) async throws(StorageError) -> [KnownPeer] {
        try await withPeers { (known) throws(StorageError) in
            let changed = known.peers.map { $0.key == key ? $0.labelled(label) : $0 }
            return (changed.filter { $0.key == key }, changed == known.peers ? nil : changed)
        }
    }

    private func adding(_ peer: KnownPeer, to peers: [KnownPeer]) throws(StorageError) -> [KnownPeer] {
        try checked(peers + [peer])
    }

    private func checked(_ peers: [KnownPeer]) throws(StorageError) -> [KnownPeer] {
        guard peers.count <= KnownPeersText.maximumPeers else {
            throw StorageError(.write, path, .tooLarge(limit: UInt64(KnownPeersText.maximumLength)))
        }
        return peers
    }

    // MARK: The file

    private func index() async throws(StorageError) -> KnownPeersIndex {
        let (path, cache) = (path, cache)
        return try await BlockingWork.run(.read, path) { () throws(StorageError) in try cache.current(path) }
    }

    private func changing<Value: Sendable>(
        _ body: @escaping @Sendable (KnownPeersIndex) throws(StorageError) -> (Value, replacement: [KnownPeer]?)
    ) async throws(KnownPeersStoreFailure) -> Value {
        do throws(StorageError) {
            return try await withPeers(body)
        } catch {
            throw KnownPeersStoreFailure(error)
        }
    }

    /// Runs `body` under the lock with the content of the file. If `body` returns new content, writes it.
    private func withPeers<Value: Sendable>(
        _ body: @escaping @Sendable (KnownPeersIndex) throws(StorageError) -> (Value, replacement: [KnownPeer]?)
    ) async throws(StorageError) -> Value {
        let (path, cache, clock) = (path, cache, clock)
        return try await BlockingWork.run(.read, path) { () throws(StorageError) in
            try FileLock.holding(path, clock: clock) { () throws(StorageError) in
                let (value, replacement) = try body(try cache.current(path))
                if let replacement {
                    let text = KnownPeersText.encode(replacement)
                    try AtomicFile.write(text.span, to: path, .replacing)
                    cache.note(KnownPeersIndex(replacement), at: path)
                }
                return value
            }
        }
    }
}

extension KnownPeersFile {
    /// Returns the text of a file with these peers, for storage other than a file of this system. No two of the peers
    /// may have the same name and key.
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
