public import MultipeerCrypto

/// What decides between two INVITEs that cross on one link (SPEC §8.6).
public struct CrossingInvitation: Hashable, Sendable {
    private let session: SessionID
    private let inviter: IdentityKey

    /// An INVITE for a session, of the peer with this identity key.
    public init(to session: SessionID, by inviter: IdentityKey) {
        self.session = session
        self.inviter = inviter
    }

    /// Whether this INVITE wins: it is for the lesser session, or for the same one and from the lesser key.
    public func wins(against other: CrossingInvitation) -> Bool {
        session == other.session ? inviter < other.inviter : session < other.session
    }
}
