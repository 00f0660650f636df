import MultipeerCrypto

/// The place of one link within the limits of its listener.
struct Place {
    /// How far the link has come.
    enum Stage {
        /// The peer is not identified. Anyone can hold such a place by saying nothing.
        case halfOpen
        /// The peer is identified. A key costs nothing, so anyone can hold such a place as well.
        case unopened
        case open
    }

    /// Places are numbered in the order of admission, so the oldest has the smallest number.
    typealias Number = UInt64

    let address: AddressKey?
    var stage = Stage.halfOpen
    var identity: IdentityKey?
    /// Whether the validator recognizes the peer.
    var isKnown = false
}
