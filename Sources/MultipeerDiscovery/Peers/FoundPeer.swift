public import MultipeerCrypto

/// A peer that advertises itself nearby, whatever interfaces it was found at (SPEC §23.4). All of it is said by a stranger, and none
/// of it is proved.
public struct FoundPeer: Hashable, Sendable {
    /// What distinguishes it.
    public let tag: Advertisement.Tag
    /// What it calls itself; nil if it shows no name before the handshake.
    public let name: DisplayName?
    /// What services of the same tag call it as well, if they do not agree: then somebody advertises what is not so.
    public let otherNames: Set<DisplayName>
    /// What its app says.
    public let info: DiscoveryInfo
    /// Where it may listen: IPv4 in front, then IPv6, each in the order of the interfaces.
    public let places: [Place]

    /// An address and a TCP port.
    public struct Place: Hashable, Sendable {
        /// The address.
        public let address: ServiceAddress
        /// The TCP port.
        public let port: UInt16

        /// As people type it.
        public var text: String { address.text(port: port) }
    }
}

/// What became of a peer nearby.
public enum PeerChange: Hashable, Sendable {
    /// It is there.
    case found(FoundPeer)
    /// It is there still, and says something else, or has other addresses.
    case changed(FoundPeer)
    /// It is gone.
    case lost(FoundPeer)
}
