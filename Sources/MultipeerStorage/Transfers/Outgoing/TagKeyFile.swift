public import MultipeerCrypto

/// The key of ``OutgoingTags`` on disk, 32 random bytes beside the identity (docs/formats.md). The calls block.
public enum TagKeyFile {
    /// Reads the key, or creates it in a file of mode 0600.
    /// - Throws: ``StorageError``: ``StorageError/Reason/readableByOthers(mode:)`` unless only the owner has access to the file,
    ///   ``StorageError/Reason/malformed(line:)`` and others.
    public static func load(
        at path: String, random: inout any RandomSource, secrets: any SecretAllocator, hashing: any Hashing
    ) throws(StorageError) -> OutgoingTags {
        do throws(StorageError) {
            return try read(path, secrets: secrets, hashing: hashing)
        } catch {
            guard error.reason == .notFound else { throw error }
        }
        var key = try GuardedMemory.make(count: OutgoingTags.keyLength, secrets, for: path)
        key.withMutableBytes { (bytes) in random.fill(&bytes) }
        do throws(StorageError) {
            try key.withBytes { (bytes) throws(StorageError) in try AtomicFile.write(bytes, to: path, .creating) }
        } catch {
            // Another process was faster: its key counts.
            guard error.reason == .alreadyExists else { throw error }
        }
        return try read(path, secrets: secrets, hashing: hashing)
    }

    private static func read(
        _ path: String, secrets: any SecretAllocator, hashing: any Hashing
    ) throws(StorageError) -> OutgoingTags {
        let key = try BoundedRead.secret(
            path, maximumLength: OutgoingTags.keyLength, followingLinks: false, secrets: secrets)
        guard key.count == OutgoingTags.keyLength else { throw StorageError(.read, path, .malformed(line: 1)) }
        return OutgoingTags(key: key, hashing: hashing)
    }
}
