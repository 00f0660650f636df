public import MultipeerCrypto

/// An identity on disk: an Ed25519 seed and a display name (docs/formats.md).
///
/// The seed goes straight from the disk to guarded memory, and never through ordinary memory of this process. The calls
/// block.
public enum IdentityFile {
    /// The length of an Ed25519 seed, in bytes.
    public static let seedLength = 32

    /// Writes a new identity to a file of mode 0600. It never overwrites a file, because nobody could restore the
    /// identity that was lost.
    /// - Parameter seed: The Ed25519 seed, 32 bytes.
    /// - Parameter secrets: Allocates the memory for the private key.
    /// - Parameter path: The path of the new file.
    /// - Parameter name: The display name.
    /// - Throws: ``StorageError``, with ``StorageError/Reason/alreadyExists`` if the file exists.
    public static func create(
        at path: String, name: DisplayName, seed: borrowing Secret, secrets: any SecretAllocator
    ) throws(StorageError) {
        guard seed.count == seedLength else { throw StorageError(.write, path, .malformed(line: 3)) }
        let text = try IdentityText.encode(name: name, seed: seed, secrets: secrets, path: path)
        try text.withBytes { (bytes) throws(StorageError) in
            try AtomicFile.write(bytes, to: path, .creating)
        }
    }

    /// Gives the identity of a file another display name. The seed stays. A reader sees the old file or the new one.
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - name: The new display name.
    ///   - secrets: Allocates the memory for the private key.
    /// - Throws: ``StorageError``, as ``load(at:secrets:)`` and as any write.
    public static func rename(
        at path: String, to name: DisplayName, secrets: any SecretAllocator
    ) throws(StorageError) {
        let stored = try load(at: path, secrets: secrets)
        let text = try IdentityText.encode(name: name, seed: stored.seed, secrets: secrets, path: path)
        try text.withBytes { (bytes) throws(StorageError) in
            try AtomicFile.write(bytes, to: path, .replacing)
        }
    }

    /// Reads an identity.
    /// - Throws: ``StorageError``: ``StorageError/Reason/readableByOthers(mode:)`` unless only the owner has access to
    ///   the file, ``StorageError/Reason/malformed(line:)``, ``StorageError/Reason/unsupportedVersion`` and others.
    public static func load(at path: String, secrets: any SecretAllocator) throws(StorageError) -> StoredIdentity {
        let text = try BoundedRead.secret(
            path, maximumLength: IdentityText.maximumLength, followingLinks: false, secrets: secrets)
        var identity: StoredIdentity?
        try text.withBytes { (bytes) throws(StorageError) in
            identity = try IdentityText.decode(bytes, secrets: secrets, path: path)
        }
        guard let identity = identity.take() else { throw StorageError(.read, path, .malformed(line: 1)) }
        return identity
    }
}

extension IdentityFile {
    /// Returns the text of an identity file in guarded memory, for storage other than a file of this system.
    /// - Parameters:
    ///   - name: The display name.
    ///   - seed: The Ed25519 seed, 32 bytes.
    ///   - secrets: Allocates the memory for the text.
    ///   - place: The text that errors show in place of a path.
    public static func text(
        name: DisplayName, seed: borrowing Secret, secrets: any SecretAllocator, place: String
    ) throws(StorageError) -> Secret {
        guard seed.count == seedLength else { throw StorageError(.write, place, .malformed(line: 3)) }
        return try IdentityText.encode(name: name, seed: seed, secrets: secrets, path: place)
    }

    /// Reads the text of an identity file.
    /// - Parameters:
    ///   - text: The whole text.
    ///   - secrets: Allocates the memory for the seed.
    ///   - place: The text that errors show in place of a path.
    public static func parse(
        _ text: Span<UInt8>, secrets: any SecretAllocator, place: String
    ) throws(StorageError) -> StoredIdentity {
        guard text.count <= IdentityText.maximumLength else {
            throw StorageError(.read, place, .tooLarge(limit: UInt64(IdentityText.maximumLength)))
        }
        return try IdentityText.decode(text, secrets: secrets, path: place)
    }
}

/// An identity that was read from disk.
public struct StoredIdentity: ~Copyable, Sendable {
    /// The display name.
    public let name: DisplayName
    /// The Ed25519 seed, 32 bytes.
    public let seed: Secret
}
