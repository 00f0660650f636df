public import MultipeerCrypto
public import MultipeerWire

/// Says which of two crossing invitations wins (SPEC §8.6), also over two links (§8.7).
///
/// A node that holds several links keeps one of these; it is notified of every invitation that the node sends, and
/// asked about every one that the node receives.
public struct CrossingInvitations: Sendable {
    /// What a node does with an invitation that it received on one link.
    public enum Ruling: Hashable, Sendable {
        /// No invitation of its own crosses it: ask the app.
        case ask
        /// The received invitation wins, and both are to new sessions: accept it without asking, and close these links,
        /// which carried one's own, with `duplicate_link`. In ascending order (R8.6-3).
        case acceptAndClose([LinkNumber])
        /// The received invitation wins, and is not the same thing as one's own: ask the app, and close these links
        /// with `duplicate_link`. In ascending order (R8.6-4).
        case askAndClose([LinkNumber])
        /// One's own invitation wins: decline this one as superseded.
        case declineAsSuperseded
    }

    /// A number that the node gave a link.
    public typealias LinkNumber = UInt64

    private let localKey: IdentityKey
    private var outstanding: [LinkNumber: Outstanding] = [:]

    private struct Outstanding: Sendable {
        let peer: IdentityKey
        let isToNewSession: Bool
        let parameters: [Field]
    }

    /// For a node with this identity key.
    public init(localKey: IdentityKey) {
        self.localKey = localKey
    }

    /// Whether an invitation of `local` wins against one of `remote`: the lesser key's does (R8.6-1).
    public static func stands(local: IdentityKey, remote: IdentityKey) -> Bool { local < remote }

    /// The node sent an invitation to `peer` on `link`, to a new session or to another one, and waits for the answer.
    /// `parameters` are those of the session's charter.
    public mutating func sent(
        to peer: IdentityKey, on link: LinkNumber, toNewSession: Bool, parameters: [Field] = []
    ) {
        outstanding[link] = Outstanding(peer: peer, isToNewSession: toNewSession, parameters: parameters)
    }

    /// The invitation on `link` was answered, or the link ended.
    public mutating func settled(on link: LinkNumber) {
        outstanding[link] = nil
    }

    /// An invitation from `peer` came on `link`. Crossing on one link is settled by the link itself.
    public func ruling(
        on invitation: ReceivedInvitation, from peer: IdentityKey, on link: LinkNumber
    ) -> Ruling {
        ruling(from: peer, on: link, mayMerge: invitation.mayMerge, parameters: invitation.charter.parameters)
    }

    /// The same of an invitation of which only this is known: whether it may merge with one's own,
    /// ``ReceivedInvitation/mayMerge``, and the parameters of its charter.
    public func ruling(
        from peer: IdentityKey, on link: LinkNumber, mayMerge: Bool, parameters: [Field] = []
    ) -> Ruling {
        let own = outstanding.filter { $0.value.peer == peer && $0.key != link }
        if own.isEmpty { return .ask }
        if Self.stands(local: localKey, remote: peer) { return .declineAsSuperseded }
        let merges = mayMerge && own.values.allSatisfy { $0.isToNewSession && $0.parameters == parameters }
        return merges ? .acceptAndClose(own.keys.sorted()) : .askAndClose(own.keys.sorted())
    }
}
