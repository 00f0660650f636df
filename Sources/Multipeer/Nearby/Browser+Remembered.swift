import MultipeerCertificates
package import MultipeerCrypto

/// What this side knows of whom a person may mean.
extension Browser {
    /// The keys that are remembered under a name or label, whether their peers are nearby or not. Those that came unasked under it are
    /// none: a person who says the name need not mean them.
    package func rememberedKeys(named name: String) async -> Set<IdentityKey> {
        let known = await peer.host.identity.everyKnownPeer().filter { !$0.isProvisional }
        return Set(known.filter { $0.name.description == name || $0.label?.description == name }.map(\.key))
    }

    /// The tag that the peer with this key advertises.
    package func tag(of key: IdentityKey) -> KeyTag { peer.host.nearby.tag(of: key) }
}
