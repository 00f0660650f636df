public import MultipeerCrypto

/// Known peers, found by key, by name and by address. It is a value, for stores to build on.
public struct KnownPeersIndex: Sendable {
    /// The greatest number of peers in a store.
    public static let maximumPeers = 10_000

    /// All peers, in the order of first use.
    public private(set) var peers: [KnownPeer] = []
    private var byKey: [IdentityKey: [Int]] = [:]
    private var bySkeleton: [NameSkeleton: [Int]] = [:]
    private var byAddress: [PeerAddress: [Int]] = [:]

    /// Creates an index.
    public init(_ peers: [KnownPeer] = []) {
        for peer in peers { append(peer) }
    }

    /// Adds a peer at the end.
    public mutating func append(_ peer: KnownPeer) {
        let position = peers.count
        peers.append(peer)
        byKey[peer.key, default: []].append(position)
        for skeleton in Set(peer.names.map(NameSkeleton.init)) { bySkeleton[skeleton, default: []].append(position) }
        if let address = peer.address { byAddress[address, default: []].append(position) }
    }

    /// The entries of a key.
    public func entries(of key: IdentityKey) -> [KnownPeer] { (byKey[key] ?? []).map { peers[$0] } }

    /// The entries with exactly this name or label.
    public func entries(named name: DisplayName) -> [KnownPeer] {
        (bySkeleton[NameSkeleton(name)] ?? []).map { peers[$0] }.filter { $0.names.contains(name) }
    }

    /// All peers, once people have verified the key of this one: its entries say so, and without any there is one more.
    public func verifying(_ peer: KnownPeer, by verification: KeyVerification) -> [KnownPeer] {
        guard !entries(of: peer.key).isEmpty else { return peers + [peer.verified(by: verification)] }
        return peers.map { $0.key == peer.key ? $0.verified(by: verification) : $0 }
    }

    /// Says whether a peer is known, or resembles one that is. Keys decide; a name or an address only raises doubts.
    public func recognise(_ shown: KnownPeer) -> PeerRecognition {
        let same = entries(of: shown.key)
        if let doubt = foreignName(shown, same: same) ?? foreignAddress(shown, same: same) { return .doubtful(doubt) }
        guard let first = same.first else { return .unknown }
        guard let known = same.first(where: { $0.leafFingerprint == shown.leafFingerprint }) else {
            return .doubtful(.leaf(first))
        }
        return .known(known)
    }

    /// The entries of other keys whose name is, or looks like, the one that is shown, provisional ones as well.
    public func namesakes(of shown: KnownPeer) -> [KnownPeer] {
        // The digits of its own key are nobody else's name, whatever peer called itself so before.
        guard !shown.isNameless else { return [] }
        return (bySkeleton[NameSkeleton(shown.name)] ?? []).map { peers[$0] }.filter { $0.key != shown.key }
    }

    /// An entry of another key whose name is, or looks like, the one that is shown. A key that is known under that name
    /// itself may keep it: a person has said that there are two.
    private func foreignName(_ shown: KnownPeer, same: [KnownPeer]) -> FirstUseDoubt? {
        let skeleton = NameSkeleton(shown.name)
        guard !same.contains(where: { $0.names.contains { NameSkeleton($0) == skeleton } }) else { return nil }
        let others = namesakes(of: shown).filter { !$0.isProvisional }
        if let exact = others.first(where: { $0.names.contains(shown.name) }) { return .name(exact) }
        return others.first.map(FirstUseDoubt.similarName)
    }

    private func foreignAddress(_ shown: KnownPeer, same: [KnownPeer]) -> FirstUseDoubt? {
        guard let address = shown.address, !same.contains(where: { $0.address == address }) else { return nil }
        let others = (byAddress[address] ?? []).map { peers[$0] }
        return others.first { $0.key != shown.key }.map(FirstUseDoubt.address)
    }
}
