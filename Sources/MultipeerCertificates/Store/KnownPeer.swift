public import MultipeerCrypto

/// A peer as trust on first use remembers it: a key. The name is a label, which the peer chose.
public struct KnownPeer: Hashable, Sendable {
    /// What the peer called itself when it was met, or digits of its key if it showed no name (`PeerID.label`).
    public private(set) var name: DisplayName
    /// The identity key that it proved.
    public let key: IdentityKey
    /// The key of its leaf certificate, or nil when it showed none.
    public private(set) var leafFingerprint: KeyFingerprint?
    /// Where the local peer had connected to when it met the peer, or nil when the peer came by itself.
    public let address: PeerAddress?
    /// What a person calls the peer, or nil.
    public private(set) var label: DisplayName?
    /// How people have verified the key, or nil when nobody has.
    public private(set) var verification: KeyVerification?

    /// Creates an entry.
    public init(
        name: DisplayName, key: IdentityKey, leafFingerprint: KeyFingerprint?, address: PeerAddress? = nil,
        label: DisplayName? = nil, verification: KeyVerification? = nil
    ) {
        self.name = name
        self.key = key
        self.leafFingerprint = leafFingerprint
        self.address = address
        self.label = label
        self.verification = verification
    }

    /// Whether the peer has shown no name yet.
    public var isNameless: Bool { name == PeerID(key: key, displayName: nil).label }

    /// Whether the name is the peer's own word alone: the peer came unasked, and nobody has said since that it is the one of this name.
    /// Such a name keeps nobody else from it: a stranger that comes first as somebody would lock the real one out.
    public var isProvisional: Bool { address == nil && label == nil && verification == nil }

    /// The same peer, which the local peer has called now.
    func called(at address: PeerAddress) -> KnownPeer {
        KnownPeer(
            name: name, key: key, leafFingerprint: leafFingerprint, address: address, label: label,
            verification: verification)
    }

    /// The same peer under the name that it shows now.
    func named(_ name: DisplayName) -> KnownPeer { changed { $0.name = name } }

    /// The same peer under a person's label, or without one.
    public func labelled(_ label: DisplayName?) -> KnownPeer { changed { $0.label = label } }

    /// The same peer with another certificate.
    func showing(_ leafFingerprint: KeyFingerprint?) -> KnownPeer { changed { $0.leafFingerprint = leafFingerprint } }

    /// The same peer, whose key people have verified.
    public func verified(by verification: KeyVerification?) -> KnownPeer { changed { $0.verification = verification } }

    private func changed(_ change: (inout KnownPeer) -> Void) -> KnownPeer {
        var copy = self
        change(&copy)
        return copy
    }

    /// The names that nobody else may come under.
    var names: [DisplayName] { label.map { [name, $0] } ?? [name] }
}

/// Whether a peer is one that is known.
public enum PeerRecognition: Hashable, Sendable {
    /// Nothing about the peer is known.
    case unknown
    /// The keys are those of this entry.
    case known(KnownPeer)
    /// The peer resembles a known one, and is not that one. It is never remembered without a person's word.
    case doubtful(FirstUseDoubt)
}

/// What is doubtful about a peer, and the entry that says so.
public enum FirstUseDoubt: Hashable, Sendable {
    /// Another key is known under the name.
    case name(KnownPeer)
    /// Another key is known under a name that looks the same (``NameSkeleton``).
    case similarName(KnownPeer)
    /// Another key is known at the address that the local peer connected to.
    case address(KnownPeer)
    /// The identity key is known with another leaf key, or another one with none.
    case leaf(KnownPeer)

    /// The rejection, where nobody says that it is right.
    public var rejection: CertificateRejection {
        switch self {
        case .name, .leaf: .identityChanged
        case .similarName: .similarName
        case .address: .addressChanged
        }
    }
}
