import MultipeerCertificates
import MultipeerCrypto
import MultipeerDefaults
import MultipeerSodium
import MultipeerStorage

/// What a peer's links and sessions are made with.
struct PeerIdentity: Sendable {
    let identity: LocalIdentity
    let sodium: SodiumProvider
    let crypto: CryptoProvider
    /// The peers that this identity has met.
    let knownPeers: any KnownPeersStore
    /// The same as a list.
    let everyKnownPeer: @Sendable () async -> [KnownPeer]
    /// What makes the tags of files; nil for an identity that nobody recognises later.
    let tags: OutgoingTags?
    /// Where it is kept; nil for an identity that ends with the process.
    let store: PeerStore?

    /// Reads a name.
    static func name(_ text: String?) throws(MultipeerError) -> DisplayName? {
        guard let text else { return nil }
        do throws(DisplayNameError) {
            return try DisplayName(text)
        } catch {
            throw .identity(.name(error))
        }
    }

    /// The identity of a store, which is created if there is none.
    static func stored(in store: PeerStore?, named name: DisplayName?) throws(MultipeerError) -> PeerIdentity {
        let (sodium, crypto) = try libraries()
        do throws(PeerStoreError) {
            let store = if let store { store } else { try PeerStore.ofUser() }
            var random: any RandomSource = sodium.random
            let identity = try store.loadOrCreateIdentity(named: name, random: &random, signers: sodium)
            let knownPeers = KnownPeersFile(path: store.knownPeersPath)
            return PeerIdentity(
                identity: identity.renamed(name), sodium: sodium, crypto: crypto, knownPeers: knownPeers,
                everyKnownPeer: { (try? await knownPeers.all()) ?? [] }, tags: try tags(of: store, sodium), store: store
            )
        } catch {
            throw .identity(.store(error))
        }
    }

    /// An identity that ends with the process.
    static func temporary(named name: DisplayName?) throws(MultipeerError) -> PeerIdentity {
        let (sodium, crypto) = try libraries()
        var random: any RandomSource = sodium.random
        do throws(CryptoFailure) {
            let identity = try LocalIdentity.ephemeral(random: &random, signers: sodium)
            let knownPeers = InMemoryKnownPeers()
            return PeerIdentity(
                identity: identity.renamed(name), sodium: sodium, crypto: crypto, knownPeers: knownPeers,
                everyKnownPeer: { await knownPeers.all() }, tags: nil, store: nil)
        } catch {
            throw .identity(.crypto(error))
        }
    }

    /// An identity that is kept elsewhere.
    static func given(_ identity: LocalIdentity, in store: PeerStore?) throws(MultipeerError) -> PeerIdentity {
        let (sodium, crypto) = try libraries()
        guard let store else {
            let knownPeers = InMemoryKnownPeers()
            return PeerIdentity(
                identity: identity, sodium: sodium, crypto: crypto, knownPeers: knownPeers,
                everyKnownPeer: { await knownPeers.all() }, tags: nil, store: nil)
        }
        do throws(StorageError) {
            try store.prepare()
        } catch {
            throw .identity(.storage(error))
        }
        let knownPeers = KnownPeersFile(path: store.knownPeersPath)
        do throws(PeerStoreError) {
            return PeerIdentity(
                identity: identity, sodium: sodium, crypto: crypto, knownPeers: knownPeers,
                everyKnownPeer: { (try? await knownPeers.all()) ?? [] }, tags: try tags(of: store, sodium), store: store
            )
        } catch {
            throw .identity(.store(error))
        }
    }

    private static func libraries() throws(MultipeerError) -> (SodiumProvider, CryptoProvider) {
        do throws(CryptoFailure) {
            return (try SodiumProvider.standard(), try CryptoProvider.standard())
        } catch {
            throw .identity(.crypto(error))
        }
    }

    private static func tags(of store: PeerStore, _ sodium: SodiumProvider) throws(PeerStoreError) -> OutgoingTags {
        var random: any RandomSource = sodium.random
        do throws(StorageError) {
            return try store.tags(random: &random, secrets: sodium.secrets, hashing: sodium.hashing)
        } catch {
            throw .storage(error)
        }
    }
}
