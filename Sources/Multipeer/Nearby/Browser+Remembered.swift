import MultipeerCertificates
package import MultipeerCrypto

/// What the local peer knows of the peers that a person may mean.
extension Browser {
    /// The keys that are remembered under a name or label, whether their peers are nearby or not, and whatever the case of its letters
    /// (``TypedName``). Those that came unasked under it are
    /// none: a person who says the name need not mean them.
    package func rememberedKeys(named name: String) async -> Set<IdentityKey> {
        let known = await peer.host.identity.everyKnownPeer().filter { !$0.isProvisional }
        let meant = TypedName.meant(by: name, among: known) { [$0.name, $0.label].compactMap { $0?.description } }
        return Set(meant.map(\.key))
    }

    /// The tag that the peer with this key advertises.
    package func tag(of key: IdentityKey) -> KeyTag { peer.host.nearby.tag(of: key) }
}
