public import MultipeerCertificates
public import MultipeerCrypto
public import MultipeerDiscovery

/// A peer that advertises itself nearby. What it says of itself is not proved before it is connected.
public struct NearbyPeer: Hashable, Sendable {
    /// What was found of it.
    public let found: FoundPeer
    /// The peer that was met before, if what is advertised is the tag of its key. Whether it is the same one is proved when it is
    /// connected.
    public let known: PeerID?
    /// How people have verified the key of ``known``; nil if nobody has. Whether it is that peer which is here is proved when it is
    /// connected.
    public let verification: KeyVerification?
    /// The key that a person has named; nil if nobody has.
    private(set) var named: IdentityKey?
    /// Whether a person has named the tag, and not the name.
    private(set) var isNamedByTag = false

    /// The name under which it is remembered, if what is advertised is the tag of a remembered key. Otherwise what it calls itself; nil if
    /// it shows no name before it is connected.
    public var displayName: DisplayName? { known?.displayName ?? found.name }
    /// What it calls itself, if it is remembered under another name.
    public var advertisedName: DisplayName? { found.name == displayName ? nil : found.name }
    /// What else it is said to be called, if it is not remembered: somebody advertises what is not so.
    public var conflictingNames: Set<DisplayName> { known == nil ? found.otherNames : [] }
    /// What its app says to everyone.
    public var info: DiscoveryInfo { found.info }
    /// Where it may listen.
    public var addresses: [Endpoint] { found.places.map { .tcp(host: $0.address.description, port: Int($0.port)) } }
    /// Whether it shows neither name nor key.
    public var isPrivate: Bool {
        if case .random = found.tag { true } else { false }
    }

    /// What people read, safe to print: the name, or the tag.
    public var name: String { SafeText.escape(displayName?.description ?? found.tag.bytes.description) }
}

extension NearbyPeer {
    /// The key that it must prove when it is connected; nil if that of its tag will do.
    var expected: IdentityKey? { named ?? known?.key }

    /// The name by which a person has chosen it, which it has to have when it is connected; nil where its key is asked for, or a person has
    /// said its tag.
    var chosenName: DisplayName? { expected == nil && !isNamedByTag ? found.name : nil }

    /// Whether nobody knows which of its names is true, and the name is what it was chosen by.
    package var isAmbiguous: Bool { chosenName != nil && !conflictingNames.isEmpty }

    /// The same peer, of which a person has said which key it has.
    package func expecting(_ key: IdentityKey) -> NearbyPeer {
        var copy = self
        copy.named = key
        return copy
    }

    /// The same peer, of which a person has said the tag.
    package var namedByTag: NearbyPeer {
        var copy = self
        copy.isNamedByTag = true
        return copy
    }
}

extension NearbyPeer: Identifiable {
    /// What distinguishes it from others nearby: 16 hexadecimal digits.
    public var id: KeyTag { found.tag.bytes }
}

/// What happens nearby.
@nonexhaustive
public enum BrowserEvent: Hashable, Sendable {
    /// A peer is there.
    case found(NearbyPeer)
    /// A peer says something else, or has other addresses.
    case changed(NearbyPeer)
    /// A peer is gone.
    case lost(NearbyPeer)
    /// Discovery has failed. It continues when it can.
    case failed(MultipeerError)
}
