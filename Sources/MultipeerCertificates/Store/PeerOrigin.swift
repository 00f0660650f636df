/// How a link to a peer came about, as far as the transport knows. It identifies nobody (G4), but trust on first use takes
/// it into account.
public enum PeerOrigin: Hashable, Sendable {
    /// The local peer connected to the address, because someone asked for it.
    case dialled(PeerAddress)
    /// The peer connected, from this address. Peers that share the address, at a router or on one machine, count as
    /// one.
    case accepted(PeerAddress)
}

/// An address as text, such as `desk.local:4711`: 1 to 255 visible ASCII characters. Letters compare in lower case.
public struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of an address.
    public static let maximumLength = 255

    public let description: String

    /// Creates an address. Returns nil for text that is not one, such as a path with spaces.
    public init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text != "-",
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        description = text.lowercased()
    }
}
