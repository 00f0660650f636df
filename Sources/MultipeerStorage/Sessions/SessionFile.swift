public import MultipeerCrypto

/// What a member keeps of a session, on disk (docs/formats.md). It is no secret, but says which the other members are
/// and where. The calls block.
public enum SessionFile {
    /// Writes what is kept to a file of mode 0600, in the place of what was there.
    /// - Throws: ``StorageError``.
    public static func save(_ session: StoredSession, at path: String, hashing: any Hashing) throws(StorageError) {
        try AtomicFile.write(SessionText.encode(session, hashing: hashing).span, to: path, .replacing)
    }

    /// Reads what was kept; nil if there is nothing.
    /// - Throws: ``StorageError``: ``StorageError/Reason/malformed(line:)`` for a file that was damaged,
    ///   ``StorageError/Reason/writableByOthers(mode:)`` and others.
    public static func load(at path: String, hashing: any Hashing) throws(StorageError) -> StoredSession? {
        let bytes: [UInt8]
        do throws(StorageError) {
            bytes = try BoundedRead.bytes(
                path, maximumLength: SessionText.maximumLength, .unchangeable, followingLinks: false)
        } catch {
            if error.phase == .open, error.reason == .notFound { return nil }
            throw error
        }
        return try SessionText.decode(bytes, hashing: hashing, path: path)
    }

    /// Removes what was kept.
    public static func remove(at path: String) throws(StorageError) {
        let (directory, name) = try FilePath.split(path)
        try OpenFile.openDirectory(directory).remove(name)
    }
}

extension PeerStore {
    /// The sessions that are kept, a file for each.
    public var sessionsDirectory: String { directory + "/sessions" }

    /// The file of a session that is kept under a name, in a folder that only this user can change.
    /// - Parameter name: A plain file name that does not begin with a dot.
    /// - Throws: ``StorageError``, with ``StorageError/Reason/unsafeName`` and others.
    public func prepareSession(named name: String) throws(StorageError) -> String {
        guard !name.hasPrefix("."), name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw StorageError(.open, name, .unsafeName)
        }
        try FilePath.checkName(name)
        try prepare()
        try PrivateDirectory.prepare(sessionsDirectory)
        try PrivateDirectory.check(sessionsDirectory)
        return sessionsDirectory + "/" + name
    }
}
