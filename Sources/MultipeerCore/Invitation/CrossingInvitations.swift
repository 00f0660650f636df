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
        /// The received invitation stands: accept it without asking, and close this link, which carried one's own, with
        /// `duplicate_link`.
        case acceptAndClose(LinkNumber)
        /// One's own invitation stands: decline this one as superseded.
        case declineAsSuperseded
    }

    /// A number that the node gave a link.
    public typealias LinkNumber = UInt64

    private let localKey: IdentityKey
    private var outstanding: [IdentityKey: LinkNumber] = [:]

    /// For a node with this identity key.
    public init(localKey: IdentityKey) {
        self.localKey = localKey
    }

    /// Whether an invitation of `local` stands against one of `remote`: the lesser key's does (R8.6-1).
    public static func stands(local: IdentityKey, remote: IdentityKey) -> Bool { local < remote }

    /// The node sent an invitation to `peer` on `link`, and waits for the answer.
    public mutating func sent(to peer: IdentityKey, on link: LinkNumber) {
        outstanding[peer] = link
    }

    /// The invitation on `link` was answered, or the link ended.
    public mutating func settled(on link: LinkNumber) {
        outstanding = outstanding.filter { $0.value != link }
    }

    /// An invitation from `peer` came on `link`. Crossing on one link is settled by the link itself.
    public func ruling(from peer: IdentityKey, on link: LinkNumber) -> Ruling {
        guard let own = outstanding[peer], own != link else { return .ask }
        return Self.stands(local: localKey, remote: peer) ? .declineAsSuperseded : .acceptAndClose(own)
    }
}
