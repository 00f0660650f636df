public import MultipeerCrypto

/// Accepts a peer whose identity key or leaf key was pinned. Chains, names and dates do not matter.
public struct PinnedKeyValidator: CertificateValidator {
    /// One key that is known beforehand.
    public enum Pin: Hashable, Sendable {
        /// The peer's identity key.
        case identity(IdentityKey)
        /// The key of the peer's leaf certificate, which has signed the link.
        case leaf(KeyFingerprint)
    }

    private let pins: Set<Pin>

    /// Creates a validator. One matching pin is enough. With no pins, every peer is refused.
    public init(pins: Set<Pin>) {
        self.pins = pins
    }

    /// The pin that lets this peer in, or nil. An identity pin comes before a leaf pin.
    public func matchingPin(for evidence: PeerEvidence) -> Pin? {
        let identity = Pin.identity(evidence.peer.key)
        if pins.contains(identity) { return identity }
        guard let fingerprint = evidence.leafFingerprint else { return nil }
        let leaf = Pin.leaf(fingerprint)
        return pins.contains(leaf) ? leaf : nil
    }

    func isPinned(_ key: IdentityKey) -> Bool { pins.contains(.identity(key)) }

    public func verify(_ evidence: PeerEvidence) async -> Verdict {
        matchingPin(for: evidence) == nil ? .rejected(.pinMismatch) : .accepted(.pinnedKey)
    }
}
