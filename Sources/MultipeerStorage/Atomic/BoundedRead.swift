import MultipeerCrypto

/// Reads whole files up to a limit. The calls block.
enum BoundedRead {
    /// What other users may do with a file that is read.
    enum Privacy {
        /// Others may do anything. The content is public and is checked by its reader.
        case none
        /// Others must not be able to write the file.
        case unchangeable
        /// Others must be able neither to read nor to write the file.
        case secret
    }

    /// Reads a file without secrets. Returns an empty array for an empty file.
    static func bytes(
        _ path: String, maximumLength: Int, _ privacy: Privacy, followingLinks: Bool
    ) throws(StorageError) -> [UInt8] {
        try bytes(of: OpenFile.openRegular(path, followingLinks: followingLinks), maximumLength: maximumLength, privacy)
    }

    /// Does the same for a file that is open.
    static func bytes(
        of file: borrowing OpenFile, maximumLength: Int, _ privacy: Privacy
    ) throws(StorageError) -> [UInt8] {
        let size = try size(of: file, maximumLength: maximumLength, privacy)
        var contents = [UInt8](repeating: 0, count: size)
        var span = contents.mutableSpan
        try fill(&span, from: file)
        return contents
    }

    /// Reads a secret file straight into guarded memory. This process makes no other copy.
    static func secret(
        _ path: String, maximumLength: Int, followingLinks: Bool, secrets: any SecretAllocator
    ) throws(StorageError) -> Secret {
        let file = try OpenFile.openRegular(path, followingLinks: followingLinks)
        let size = try size(of: file, maximumLength: maximumLength, .secret)
        guard size > 0 else { throw StorageError(.read, path, .malformed(line: 1)) }
        var secret = try GuardedMemory.make(count: size, secrets, for: path)
        try secret.withMutableBytes { (bytes) throws(StorageError) in try fill(&bytes, from: file) }
        return secret
    }

    /// Checks permissions and size of the open file, which nobody can exchange any more.
    private static func size(
        of file: borrowing OpenFile, maximumLength: Int, _ privacy: Privacy
    ) throws(StorageError) -> Int {
        let path = file.path
        let status = try file.status()
        switch privacy {
        case .none: break
        case .unchangeable:
            guard status.permissions & 0o022 == 0 else {
                throw StorageError(.open, path, .writableByOthers(mode: status.permissions))
            }
        case .secret:
            guard status.permissions & 0o077 == 0 else {
                throw StorageError(.open, path, .readableByOthers(mode: status.permissions))
            }
        }
        guard status.size <= maximumLength else {
            throw StorageError(.read, path, .tooLarge(limit: UInt64(maximumLength)))
        }
        return Int(status.size)
    }

    private static func fill(_ bytes: inout MutableSpan<UInt8>, from file: borrowing OpenFile) throws(StorageError) {
        let count = try file.read(into: &bytes, at: 0)
        // A regular file returns everything that it has. Fewer bytes mean that it has shrunk since its size was read.
        guard count == bytes.count, try file.status().size == count else {
            throw StorageError(.read, file.path, .changedWhileReading)
        }
    }
}

enum GuardedMemory {
    static func make(
        count: Int, _ secrets: any SecretAllocator, for path: String
    ) throws(StorageError) -> Secret {
        do throws(CryptoFailure) {
            return try secrets.makeSecret(count: count)
        } catch {
            throw StorageError(.read, path, .outOfSecretMemory)
        }
    }
}
