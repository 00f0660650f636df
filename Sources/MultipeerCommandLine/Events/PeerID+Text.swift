import Multipeer
package import MultipeerCrypto
package import MultipeerTerminal

extension PeerID {
    /// Returns the name, and the beginning of the key, because a name alone proves nothing.
    package func text(_ palette: Palette) -> String {
        guard let displayName else { return "\(key.description.prefix(16))…" }
        return "\(palette.bold(SafeText.escape(displayName.description))) (\(key.description.prefix(16))…)"
    }

    /// Null where the peer shows its name to others only.
    package var jsonName: JSON { displayName.map { .string($0.description) } ?? .null }
}
