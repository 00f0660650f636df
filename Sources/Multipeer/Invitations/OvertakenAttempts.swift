import MultipeerCrypto

/// A local invitation that was overtaken, and the peer that it was for.
struct OvertakenAttempt {
    let attempt: LinkAttempt
    let peer: IdentityKey
}

/// Local invitations that were overtaken because the peer invites as well, or because a link to it is being made
/// already. Another link decides about both (SPEC §8.7).
struct OvertakenAttempts {
    private var waiting: [OvertakenAttempt] = []

    mutating func add(_ overtaken: OvertakenAttempt) { waiting.append(overtaken) }

    mutating func remove(_ attempt: LinkAttempt) { waiting.removeAll { $0.attempt === attempt } }

    /// Takes out those of a session, to one peer or to all.
    mutating func take(of session: SessionCore, to peer: IdentityKey? = nil) -> [LinkAttempt] {
        take { $0.attempt.session === session && (peer ?? $0.peer) == $0.peer }
    }

    /// Takes out those to one peer, of whatever session.
    mutating func take(to peer: IdentityKey) -> [LinkAttempt] { take { $0.peer == peer } }

    private mutating func take(_ isTaken: (OvertakenAttempt) -> Bool) -> [LinkAttempt] {
        defer { waiting.removeAll(where: isTaken) }
        return waiting.filter(isTaken).map(\.attempt)
    }
}
