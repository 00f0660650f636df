package import MultipeerCertificates
package import MultipeerCrypto
import MultipeerStorage

/// What two people have said of a key belongs together: if one of them says that the strings differ, the yes of the other one is taken back.
extension Peer {
    /// What is remembered of a key; nil for nothing.
    package func entry(of key: IdentityKey) async -> KnownPeer? {
        await host.identity.everyKnownPeer().first { $0.key == key }
    }

    /// Remembers of a key what was remembered before, or nothing.
    /// - Throws: `KnownPeersStoreFailure`.
    package func restore(_ entry: KnownPeer?, of key: IdentityKey) async throws(KnownPeersStoreFailure) {
        if let entry { return try await knownPeers.remember(entry) }
        guard let file = knownPeers as? KnownPeersFile else {
            guard let now = await self.entry(of: key) else { return }
            return try await knownPeers.remember(now.verified(by: nil))
        }
        do throws(StorageError) {
            _ = try await file.forget(key)
        } catch {
            throw KnownPeersStoreFailure(error)
        }
    }
}
