public import MultipeerWire

/// What the tester is told of the live peer. The rest shows.
public struct PeerProfile: Hashable, Sendable {
    /// What the peer does with invitations.
    public enum Invitations: String, Hashable, Sendable, CaseIterable {
        /// Accepts every one, and sends none.
        case accepts
        /// Invites whoever is identified.
        case invites
    }

    /// What the peer does with invitations.
    public var invitations: Invitations
    /// How the peer wants payload to travel; nil to take it as it shows.
    public var encryption: EncryptionPreference?
    /// Whether the peer expects a certain other peer, which the tester is not (R9.5-4).
    public var expectsAnother = false
    /// How long the peer waits to identify the other side (SPEC §19).
    public var handshakeDeadline: Duration = .seconds(10)
    /// How long the peer waits for an invitation.
    public var invitationDeadline: Duration = .seconds(60)
    /// How long the peer waits for certificates, and for READY.
    public var certificateDeadline: Duration = .seconds(60)

    /// Joins what has no default.
    public init(invitations: Invitations, encryption: EncryptionPreference? = nil) {
        self.invitations = invitations
        self.encryption = encryption
    }
}
