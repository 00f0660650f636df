public import MultipeerCrypto

/// Remembers peers. It looks at keys first, and at names and addresses to find peers that resemble a known one.
public protocol KnownPeersStore: Sendable {
    /// Says whether a peer is known. Nothing changes.
    func recognise(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> PeerRecognition

    /// The peers with other keys that are remembered under the name that `peer` shows, or one that looks like it.
    func namesakes(of peer: KnownPeer) async throws(KnownPeersStoreFailure) -> [KnownPeer]

    /// Remembers `peer` if nothing about it is known, in one step: of any number of callers at the same time, in this
    /// process or another, exactly one remembers, and when it returns the entry is durable.
    func rememberIfUnknown(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> RememberOutcome

    /// Remembers `peer` whatever is known, because a person said so. Entries of the same key are replaced.
    func remember(_ peer: KnownPeer) async throws(KnownPeersStoreFailure)

    /// Notes that people have verified the key of `peer`, in one step. Entries of the key stay as they are otherwise; without one,
    /// `peer` is remembered, whatever is known of its name.
    func remember(_ peer: KnownPeer, verifiedBy verification: KeyVerification) async throws(KnownPeersStoreFailure)

    /// Drops the entries of a name or label, because a person said so. False when there was none.
    func forget(_ name: DisplayName) async throws(KnownPeersStoreFailure) -> Bool
}

extension KnownPeersStore {
    /// Nobody, where a store does not look.
    public func namesakes(of peer: KnownPeer) async throws(KnownPeersStoreFailure) -> [KnownPeer] { [] }
}

/// What became of ``KnownPeersStore/rememberIfUnknown(_:)``.
public enum RememberOutcome: Hashable, Sendable {
    /// The peer was unknown; it is remembered now.
    case nowRemembered
    /// The peer's keys are known.
    case alreadyKnown(KnownPeer)
    /// The peer resembles a known one. Nothing was remembered.
    case doubtful(FirstUseDoubt)
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
