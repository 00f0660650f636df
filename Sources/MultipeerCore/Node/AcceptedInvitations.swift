import MultipeerCrypto
import MultipeerWire

/// The INVITEs that apps have accepted lately. The answer holds for the same INVITE of the same peer, if that comes again
/// (R8.2-10).
struct AcceptedInvitations: Sendable {
    /// How many are remembered. An app has accepted each of them.
    static let most = 64

    private struct Accepted: Sendable {
        let peer: IdentityKey
        let affiliation: Affiliation
        let context: [UInt8]
        let parameters: [Field]
        let terms: SessionTerms
        let end: Instant
    }

    private var accepted: [Accepted] = []

    /// The app has accepted.
    /// - Parameter came: When the INVITE came, from which its time counts.
    mutating func note(
        _ invitation: ReceivedInvitation, of peer: IdentityKey, for affiliation: Affiliation, with terms: SessionTerms,
        came: Instant, at now: Instant
    ) {
        accepted.removeAll { $0.end <= now || $0.peer == peer && $0.affiliation.isOneGroup(with: affiliation) }
        if accepted.count >= Self.most { accepted.removeFirst() }
        accepted.append(
            Accepted(
                peer: peer, affiliation: affiliation, context: invitation.context,
                parameters: invitation.charter.parameters, terms: terms, end: came.advanced(by: invitation.timeout)))
    }

    /// How an INVITE of the peer is accepted without asking; nil if the app has to be asked. While it is not known which group
    /// answers, that is so: another program of the peer may have sent it.
    func answer(
        for invitation: ReceivedInvitation, of peer: IdentityKey, in affiliation: Affiliation, at now: Instant
    ) -> SessionTerms? {
        accepted.last { known in
            known.peer == peer && now < known.end && known.context == invitation.context
                && known.parameters == invitation.charter.parameters && known.affiliation.isOneGroup(with: affiliation)
        }?.terms
    }

    /// What the app has accepted of a peer for a group holds no more.
    mutating func forget(_ peer: IdentityKey, for affiliation: Affiliation) {
        accepted.removeAll { $0.peer == peer && $0.affiliation.isOneGroup(with: affiliation) }
    }

    /// The app has left the group.
    mutating func forgetAll(for affiliation: Affiliation) {
        accepted.removeAll { $0.affiliation.isOneGroup(with: affiliation) }
    }

    /// What the app has accepted of a peer holds no more, for any group.
    mutating func forget(_ peer: IdentityKey) { accepted.removeAll { $0.peer == peer } }
}
