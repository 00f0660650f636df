package import MultipeerCrypto
package import MultipeerSodium
package import MultipeerStorage

/// The folder with this user's identity and known peers, for commands.
package struct IdentityStore: Sendable {
    private let store: PeerStore

    package var directory: String { store.directory }
    package var identityPath: String { store.identityPath }
    package var knownPeersPath: String { store.knownPeersPath }
    package var alwaysTaken: AlwaysTakenFile { AlwaysTakenFile(path: store.alwaysTakenPath) }

    /// - Parameter directory: The folder, or nil for the user's own.
    package init(directory: String?) throws(CommandFailure) {
        do throws(PeerStoreError) {
            if let directory { store = PeerStore(directory: directory) } else { store = try .ofUser() }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Creates the folder with access for its owner only, unless it exists.
    package func prepare() throws(CommandFailure) {
        do throws(StorageError) { try store.prepare() } catch { throw CommandFailure(error) }
    }

    /// Creates an identity and stores it. It never replaces an existing one.
    package func create(name: DisplayName, sodium: SodiumProvider) throws(CommandFailure) -> PeerID {
        var random: any RandomSource = sodium.random
        do throws(PeerStoreError) {
            return try store.createIdentity(named: name, random: &random, signers: sodium).peer
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Returns the stored identity, or nil if there is none.
    package func load(sodium: SodiumProvider) throws(CommandFailure) -> LocalIdentity? {
        do throws(PeerStoreError) { return try store.loadIdentity(signers: sodium) } catch {
            throw CommandFailure(error)
        }
    }

    /// Returns the stored identity. If there is none, one is created, under the given name or the host's.
    func loadOrCreate(name: DisplayName?, sodium: SodiumProvider) throws(CommandFailure) -> LocalIdentity {
        var random: any RandomSource = sodium.random
        do throws(PeerStoreError) {
            return try store.loadOrCreateIdentity(named: name, random: &random, signers: sodium)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Gives the stored identity another name, and returns it; nil if there is none.
    package func rename(to name: DisplayName, sodium: SodiumProvider) throws(CommandFailure) -> LocalIdentity? {
        do throws(PeerStoreError) { return try store.renameIdentity(to: name, signers: sodium) } catch {
            throw CommandFailure(error)
        }
    }

    /// What makes the tags of files that this identity offers. The key is created when it is needed first.
    package func tags(sodium: SodiumProvider) throws(CommandFailure) -> OutgoingTags {
        var random: any RandomSource = sodium.random
        do throws(StorageError) {
            return try store.tags(random: &random, secrets: sodium.secrets, hashing: sodium.hashing)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension LocalIdentity {
    /// Creates an identity that ends with the process.
    package static func ephemeral(sodium: SodiumProvider) throws(CommandFailure) -> LocalIdentity {
        var random: any RandomSource = sodium.random
        do throws(CryptoFailure) {
            return try ephemeral(random: &random, signers: sodium)
        } catch {
            throw CommandFailure(error)
        }
    }
}
