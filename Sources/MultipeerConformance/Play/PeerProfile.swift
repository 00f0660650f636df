public import MultipeerWire

/// What the tester is told about the live peer. It finds out the rest.
public struct PeerProfile: Hashable, Sendable {
    /// What the peer does with invitations.
    public enum Invitations: String, Hashable, Sendable, CaseIterable {
        /// Accepts every one, and sends none.
        case accepts
        /// Invites whoever is identified.
        case invites
    }

    /// What the peer's person does on each link, as soon as the tester is identified.
    public enum Verification: String, Hashable, Sendable, CaseIterable {
        case nothing
        /// Shows a one-time code, which the tester gets from its ``CodeSource``.
        case shows
        /// Types the code that the tester shows; the tester has it from its ``CodeSource``.
        case types
        /// Wants to compare short strings, and finds them equal.
        case compares
    }

    /// What the peer does with invitations.
    public var invitations: Invitations
    /// The encryption preference that the peer must show. Nil accepts any.
    public var encryption: EncryptionPreference?
    /// Whether the peer expects a certain other peer, which the tester is not (R9.5-4).
    public var expectsAnother = false
    /// Whether the peer offers a file on each link as soon as it is open: the same each time, of at least two bytes.
    public var offersFile = false
    /// Whether the peer continues associations over other links (SPEC §13.9). One that connects comes again by itself after a loss.
    public var resumes = false
    /// What the peer's person does to verify the tester's key (SPEC §25).
    public var verification = Verification.nothing
    /// How long the peer waits to identify the remote peer (SPEC §19).
    public var handshakeDeadline: Duration = .seconds(10)
    /// How long the peer waits for an invitation.
    public var invitationDeadline: Duration = .seconds(60)
    /// How long the peer waits for certificates, and for READY.
    public var certificateDeadline: Duration = .seconds(60)
    /// After how long without a record the peer sends PING (R13.7-3).
    public var pingTime: Duration = .seconds(5)
    /// After how long without a record the peer closes with `silent`.
    public var silenceTime: Duration = .seconds(15)

    /// Creates a profile of a peer that does this with invitations.
    public init(invitations: Invitations, encryption: EncryptionPreference? = nil) {
        self.invitations = invitations
        self.encryption = encryption
    }
}
