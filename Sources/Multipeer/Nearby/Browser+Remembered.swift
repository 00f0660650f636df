import MultipeerCertificates
package import MultipeerCrypto

/// What this side knows of whom a person may mean.
extension Browser {
    /// The keys that are remembered under a name or label, whether their peers are nearby or not.
    package func rememberedKeys(named name: String) async -> Set<IdentityKey> {
        let known = await peer.host.identity.everyKnownPeer()
        return Set(known.filter { $0.name.description == name || $0.label?.description == name }.map(\.key))
    }

    /// The tag that the peer with this key advertises.
    package func tag(of key: IdentityKey) -> KeyTag { peer.host.nearby.tag(of: key) }
}
