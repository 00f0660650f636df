public import MultipeerCrypto

/// The folder with a user's identity, the peers that it knows, and the key of its tags (docs/formats.md). The calls block.
///
/// The folder is used only if nobody but this user and the administrator can change what is in it.
public struct PeerStore: Hashable, Sendable {
    /// The path.
    public let directory: String

    /// The identity (``IdentityFile``).
    public var identityPath: String { directory + "/identity" }
    /// The key of the tags by which peers recognise files (SPEC §15.7, ``TagKeyFile``).
    public var tagKeyPath: String { directory + "/tag-key" }
    /// The peers that were trusted on first use (``KnownPeersFile``).
    public var knownPeersPath: String { directory + "/known-peers" }

    /// The peers whose files are taken without a question (``AlwaysTakenFile``).
    public var alwaysTakenPath: String { directory + "/always" }

    /// Names a folder, which need not exist.
    public init(directory: String) {
        self.directory = directory
    }

    /// The user's own store: `multipeer` in `$XDG_DATA_HOME`, or in `~/.local/share` where that variable is not set.
    /// - Throws: ``PeerStoreError/noHomeDirectory``, ``PeerStoreError/variableIsNotText(_:)``.
    public static func ofUser() throws(PeerStoreError) -> PeerStore {
        for name in ["XDG_DATA_HOME", "HOME"] where !EnvironmentVariable.isText(name) {
            throw .variableIsNotText(name)
        }
        // According to the XDG Base Directory Specification, relative paths are invalid and ignored.
        if let data = EnvironmentVariable.value(of: "XDG_DATA_HOME"), data.hasPrefix("/") {
            return PeerStore(directory: data + "/multipeer")
        }
        guard let home = EnvironmentVariable.value(of: "HOME"), home.hasPrefix("/") else { throw .noHomeDirectory }
        return PeerStore(directory: home + "/.local/share/multipeer")
    }

    /// Creates the folder with access for its owner only, unless it exists, and checks that nobody else can change it.
    public func prepare() throws(StorageError) {
        try PrivateDirectory.prepare(directory)
        try PrivateDirectory.check(directory)
    }
}

// MARK: The identity

extension PeerStore {
    /// Creates an identity and stores it. It never replaces an existing one.
    /// - Parameters:
    ///   - name: What the peer calls itself.
    ///   - random: Where the key comes from.
    ///   - signers: Makes the signer, such as `SodiumProvider`.
    /// - Throws: ``PeerStoreError``, with ``StorageError/Reason/alreadyExists`` if there is an identity.
    public func createIdentity(
        named name: DisplayName, random: inout any RandomSource, signers: any IdentitySignerFactory
    ) throws(PeerStoreError) -> LocalIdentity {
        let seed = try Self.makeSeed(&random, signers.secretAllocator)
        do throws(StorageError) {
            try prepare()
            try IdentityFile.create(at: identityPath, name: name, seed: seed, secrets: signers.secretAllocator)
        } catch {
            throw .storage(error)
        }
        return try Self.identity(seed, name, signers)
    }

    private static func makeSeed(
        _ random: inout any RandomSource, _ secrets: any SecretAllocator
    ) throws(PeerStoreError) -> Secret {
        do throws(CryptoFailure) {
            var seed = try secrets.makeSecret(count: IdentityFile.seedLength)
            seed.withMutableBytes { bytes in random.fill(&bytes) }
            return seed
        } catch {
            throw .crypto(error)
        }
    }

    /// Reads the identity; nil if there is none.
    /// - Parameter signers: Makes the signer, such as `SodiumProvider`.
    public func loadIdentity(signers: any IdentitySignerFactory) throws(PeerStoreError) -> LocalIdentity? {
        let stored: StoredIdentity
        do throws(StorageError) {
            try PrivateDirectory.check(directory)
            stored = try IdentityFile.load(at: identityPath, secrets: signers.secretAllocator)
        } catch {
            if error.phase == .open, error.reason == .notFound { return nil }
            throw .storage(error)
        }
        return try Self.identity(stored.seed, stored.name, signers)
    }

    /// Reads the identity, or creates one if there is none.
    /// - Parameters:
    ///   - name: What a new one is called. Without one it is called as its host is, with the user's name where several people share the
    ///     host, and by the first digits of a key where the host has no name of its own.
    ///   - random: Where a new key comes from.
    ///   - signers: Makes the signer, such as `SodiumProvider`.
    public func loadOrCreateIdentity(
        named name: DisplayName? = nil, random: inout any RandomSource, signers: any IdentitySignerFactory
    ) throws(PeerStoreError) -> LocalIdentity {
        if let identity = try loadIdentity(signers: signers) { return identity }
        do throws(PeerStoreError) {
            let fallback = try Self.anonymousName(&random, signers)
            return try createIdentity(
                named: name ?? SuggestedName.current ?? fallback, random: &random, signers: signers)
        } catch {
            // Another process was faster: its identity counts.
            guard case .storage(let failure) = error, failure.reason == .alreadyExists,
                let identity = try loadIdentity(signers: signers)
            else { throw error }
            return identity
        }
    }

    /// Gives the identity another name. Its key stays. Programs that run already show the old name until they end.
    /// - Parameters:
    ///   - name: What the peer calls itself from now on.
    ///   - signers: Makes the signer, such as `SodiumProvider`.
    /// - Returns: The identity as it is now; nil if there is none.
    /// - Throws: ``PeerStoreError``.
    public func renameIdentity(
        to name: DisplayName, signers: any IdentitySignerFactory
    ) throws(PeerStoreError) -> LocalIdentity? {
        guard let identity = try loadIdentity(signers: signers) else { return nil }
        do throws(StorageError) {
            try IdentityFile.rename(at: identityPath, to: name, secrets: signers.secretAllocator)
        } catch {
            throw .storage(error)
        }
        return identity.renamed(name)
    }

    /// A name that says nothing about the user.
    private static func anonymousName(
        _ random: inout any RandomSource, _ signers: any IdentitySignerFactory
    ) throws(PeerStoreError) -> DisplayName {
        do throws(CryptoFailure) {
            return try LocalIdentity.ephemeral(random: &random, signers: signers).name
        } catch {
            throw .crypto(error)
        }
    }

    private static func identity(
        _ seed: borrowing Secret, _ name: DisplayName, _ signers: any IdentitySignerFactory
    ) throws(PeerStoreError) -> LocalIdentity {
        do throws(CryptoFailure) {
            // A secret has one owner, so this makes a copy.
            let copy = try seed.withBytes { (seed) throws(CryptoFailure) in
                try signers.secretAllocator.makeSecret(copying: seed)
            }
            return LocalIdentity(signer: try signers.makeSigner(seed: copy), name: name)
        } catch {
            throw .crypto(error)
        }
    }
}

// MARK: Tags

extension PeerStore {
    /// What makes the tags of files that this identity offers (SPEC §15.7). The key is created when it is needed first.
    /// - Parameters:
    ///   - random: Where a new key comes from.
    ///   - secrets: Guarded memory for the key.
    ///   - hashing: HMAC-SHA-256.
    public func tags(
        random: inout any RandomSource, secrets: any SecretAllocator, hashing: any Hashing
    ) throws(StorageError) -> OutgoingTags {
        try TagKeyFile.load(at: tagKeyPath, random: &random, secrets: secrets, hashing: hashing)
    }
}
