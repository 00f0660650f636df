public import MultipeerCrypto

/// Tells which of two crossing invitations stands (SPEC §8.6), also over two links (§8.7).
///
/// A node that holds several links keeps one of these; it is told of every invitation that it sends, and asked about
/// every one that it receives.
public struct CrossingInvitations: Sendable {
    /// What a node does with an invitation that it received on one link.
    public enum Ruling: Hashable, Sendable {
        /// No invitation of its own crosses it: ask the app.
        case ask
        /// The received invitation stands: accept it without asking, and close these links, which carried one's own, with
        /// `duplicate_link`. In ascending order.
        case acceptAndClose([LinkNumber])
        /// One's own invitation stands: decline this one as superseded.
        case declineAsSuperseded
    }

    /// A number that the node gave a link.
    public typealias LinkNumber = UInt64

    private let localKey: IdentityKey
    private var outstanding: [LinkNumber: IdentityKey] = [:]

    /// For a node with this identity key.
    public init(localKey: IdentityKey) {
        self.localKey = localKey
    }

    /// Whether an invitation of `local` stands against one of `remote`: the lesser key's does (R8.6-1).
    public static func stands(local: IdentityKey, remote: IdentityKey) -> Bool { local < remote }

    /// The node sent an invitation to `peer` on `link`, and waits for the answer.
    public mutating func sent(to peer: IdentityKey, on link: LinkNumber) {
        outstanding[link] = peer
    }

    /// The invitation on `link` was answered, or the link ended.
    public mutating func settled(on link: LinkNumber) {
        outstanding[link] = nil
    }

    /// An invitation from `peer` came on `link`. Crossing on one link is settled by the link itself.
    public func ruling(from peer: IdentityKey, on link: LinkNumber) -> Ruling {
        let own = outstanding.filter { $0.value == peer && $0.key != link }.keys
        if own.isEmpty { return .ask }
        return Self.stands(local: localKey, remote: peer) ? .declineAsSuperseded : .acceptAndClose(own.sorted())
    }
}
