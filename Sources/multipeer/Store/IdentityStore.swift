import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage

/// The folder in which this user's identity and known peers are.
struct IdentityStore: Sendable {
    let directory: String

    var identityPath: String { directory + "/identity" }
    var knownPeersPath: String { directory + "/known-peers" }

    /// - Parameter directory: Nil for the user's own: `$XDG_DATA_HOME/multipeer`, or `~/.local/share/multipeer`.
    init(directory: String?) throws(CommandFailure) {
        if let directory {
            self.directory = directory
        } else if let data = Environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            // The XDG Base Directory Specification: relative paths are invalid, and ignored.
            self.directory = data + "/multipeer"
        } else if let home = Environment["HOME"], home.hasPrefix("/") {
            self.directory = home + "/.local/share/multipeer"
        } else {
            throw CommandFailure(
                "store", "there is no home directory", remedy: "Say where the identity is: --store DIR", .usage)
        }
    }

    /// Makes the folder, for its owner alone, unless it is there.
    func prepare() throws(CommandFailure) {
        do throws(StorageError) {
            try PrivateDirectory.prepare(directory)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Makes an identity and stores it. Never replaces one.
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

    /// The identity that is stored, or nil when there is none.
    func load(sodium: SodiumProvider) throws(CommandFailure) -> LocalIdentity? {
        do {
            let stored = try IdentityFile.load(at: identityPath, secrets: sodium.secrets)
            let name = stored.name
            // A secret has one owner, and the stored one keeps its own.
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

/// Who this side is.
struct LocalIdentity: Sendable {
    let signer: SodiumIdentity
    let name: DisplayName
    /// Whether nobody will know this identity again.
    let isEphemeral: Bool

    var peer: PeerID { PeerID(key: signer.identityKey, displayName: name) }

    /// A new identity that ends with the process. Its name tells nothing but a piece of its key (SPEC §21).
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

    /// The same identity under another name.
    func renamed(_ name: DisplayName?) -> LocalIdentity {
        LocalIdentity(signer: signer, name: name ?? self.name, isEphemeral: isEphemeral)
    }
}
