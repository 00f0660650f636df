public import MultipeerCrypto

/// A peer as trust on first use remembers it.
public struct KnownPeer: Hashable, Sendable {
    /// What the peer called itself; the entry is found by it.
    public let name: DisplayName
    /// The identity key that it proved.
    public let key: IdentityKey
    /// The key of its leaf certificate, or nil when it showed none.
    public let leafFingerprint: KeyFingerprint?

    /// Creates an entry.
    public init(name: DisplayName, key: IdentityKey, leafFingerprint: KeyFingerprint?) {
        self.name = name
        self.key = key
        self.leafFingerprint = leafFingerprint
    }
}

/// Remembers peers by name. Each name has at most one entry.
public protocol KnownPeersStore: Sendable {
    /// The entry of `name`, or nil.
    func knownPeer(named name: DisplayName) async throws(KnownPeersStoreFailure) -> KnownPeer?

    /// Remembers `peer` unless its name is known already, in one step: of any number of callers at the same time, in
    /// this process or another, exactly one remembers, and when it returns the entry is durable.
    func rememberIfUnknown(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> RememberOutcome

    /// Drops the entry of `name`, because a person said so. False when there was none.
    func forget(_ name: DisplayName) async throws(KnownPeersStoreFailure) -> Bool
}

/// What became of ``KnownPeersStore/rememberIfUnknown(_:)``.
public enum RememberOutcome: Hashable, Sendable {
    /// The name was unknown; the peer is remembered now.
    case nowRemembered
    /// The name is known, and stands for this.
    case alreadyKnown(KnownPeer)
}

/// Why a store of known peers gave no answer. A validator then refuses (SPEC §10.5: fail closed).
@nonexhaustive
public enum KnownPeersStoreFailure: Error, Hashable, Sendable {
    /// The store cannot be read.
    case unreadable
    /// The store was read and makes no sense.
    case damaged
    /// The store cannot be written.
    case unwritable
    /// Another process keeps the store to itself.
    case busy
    /// The store is full.
    case full
}
