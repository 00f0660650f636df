import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage

/// The folder with this user's identity and known peers.
struct IdentityStore: Sendable {
    let directory: String

    var identityPath: String { directory + "/identity" }
    /// The key of the tags by which peers recognise files (SPEC §15.7).
    var tagKeyPath: String { directory + "/tag-key" }
    var knownPeersPath: String { directory + "/known-peers" }

    /// - Parameter directory: The folder, or nil for the default: `$XDG_DATA_HOME/multipeer`, or
    ///   `~/.local/share/multipeer`.
    init(directory: String?) throws(CommandFailure) {
        if let directory {
            self.directory = directory
            return
        }
        for name in ["XDG_DATA_HOME", "HOME"] where !Environment.isText(name) {
            throw CommandFailure(
                "store", "the environment variable \(name) is not UTF-8",
                remedy: "Say where the identity is: --store DIR", .usage)
        }
        if let data = Environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            // According to the XDG Base Directory Specification, relative paths are invalid and ignored.
            self.directory = data + "/multipeer"
        } else if let home = Environment["HOME"], home.hasPrefix("/") {
            self.directory = home + "/.local/share/multipeer"
        } else {
            throw CommandFailure(
                "store", "there is no home directory", remedy: "Say where the identity is: --store DIR", .usage)
        }
    }

    /// Creates the folder with access for its owner only, unless it exists.
    func prepare() throws(CommandFailure) {
        do throws(StorageError) {
            try PrivateDirectory.prepare(directory)
            try PrivateDirectory.check(directory)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Creates an identity and stores it. It never replaces an existing one.
    func create(name: DisplayName, sodium: SodiumProvider) throws(CommandFailure) -> PeerID {
        try prepare()
        var random: any RandomSource = sodium.random
        do {
            let identity = try SodiumIdentity(random: &random, provider: sodium)
            let seed = try identity.withSeed { (seed) throws(CryptoFailure) in
                try sodium.secrets.makeSecret(copying: seed)
            }
            try IdentityFile.create(at: identityPath, name: name, seed: seed, secrets: sodium.secrets)
            return PeerID(key: identity.identityKey, displayName: name)
        } catch let error as StorageError {
            throw CommandFailure(error)
        } catch let error as CryptoFailure {
            throw CommandFailure(error)
        } catch {
            throw CommandFailure("identity", "\(error)", remedy: "Report a bug with this message", .software)
        }
    }

    /// Returns the stored identity, or nil if there is none.
    func load(sodium: SodiumProvider) throws(CommandFailure) -> LocalIdentity? {
        do {
            try PrivateDirectory.check(directory)
            let stored = try IdentityFile.load(at: identityPath, secrets: sodium.secrets)
            let name = stored.name
            // A secret has one owner, so this makes a copy of the stored one.
            let seed = try stored.seed.withBytes { (seed) throws(CryptoFailure) in
                try sodium.secrets.makeSecret(copying: seed)
            }
            return LocalIdentity(
                signer: try SodiumIdentity(seed: seed, provider: sodium), name: name, isEphemeral: false)
        } catch let error as StorageError {
            if error.phase == .open, error.reason == .notFound { return nil }
            throw CommandFailure(error)
        } catch let error as CryptoFailure {
            throw CommandFailure(error)
        } catch {
            throw CommandFailure("identity", "\(error)", remedy: "Report a bug with this message", .software)
        }
    }
}

extension IdentityStore {
    /// What makes the tags of files that this identity offers. The key is created when it is needed first.
    func tags(sodium: SodiumProvider) throws(CommandFailure) -> OutgoingTags {
        var random: any RandomSource = sodium.random
        do throws(StorageError) {
            return try TagKeyFile.load(
                at: tagKeyPath, random: &random, secrets: sodium.secrets, hashing: sodium.hashing)
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// The identity of this side.
struct LocalIdentity: Sendable {
    let signer: SodiumIdentity
    let name: DisplayName
    /// Whether the identity ends with the process.
    let isEphemeral: Bool

    var peer: PeerID { PeerID(key: signer.identityKey, displayName: name) }

    /// Creates an identity that ends with the process. Its name reveals only a part of its key (SPEC §21).
    static func ephemeral(sodium: SodiumProvider) throws(CommandFailure) -> LocalIdentity {
        var random: any RandomSource = sodium.random
        do throws(CryptoFailure) {
            let signer = try SodiumIdentity(random: &random, provider: sodium)
            let name = "peer-" + signer.identityKey.description.prefix(8)
            guard let name = try? DisplayName(name) else { throw .malformedKey }
            return LocalIdentity(signer: signer, name: name, isEphemeral: true)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Returns the same identity under another name.
    func renamed(_ name: DisplayName?) -> LocalIdentity {
        LocalIdentity(signer: signer, name: name ?? self.name, isEphemeral: isEphemeral)
    }
}
