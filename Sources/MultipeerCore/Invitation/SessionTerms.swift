public import MultipeerCertificates
public import MultipeerWire

/// What one side brings into a session: how payload should travel, and the certificate that it shows.
public struct SessionTerms: Sendable {
    /// How payload should travel (SPEC §11).
    public let encryption: EncryptionPreference
    /// The certificate that this side shows, or nil.
    public let certificate: LocalCertificate?

    /// Creates terms. Encryption is *required* by default.
    public init(encryption: EncryptionPreference = .required, certificate: LocalCertificate? = nil) {
        self.encryption = encryption
        self.certificate = certificate
    }

    var identityKind: IdentityKind { certificate == nil ? .none : .x509 }
}

/// An invitation that this side sends (SPEC §8.2).
public struct OutgoingInvitation: Sendable {
    /// What this side brings.
    public let terms: SessionTerms
    /// The session to join, 16 bytes; nil for a new one, whose identifier is drawn at random.
    public let session: [UInt8]?
    /// Opaque bytes for the peer's app; at most 16,384.
    public let context: [UInt8]
    /// How long to wait for the answer: 1 ms to 10 minutes.
    public let timeout: Duration

    /// Creates an invitation. The default timeout is 30 s, as in Apple's API.
    public init(
        terms: SessionTerms, session: [UInt8]? = nil, context: [UInt8] = [], timeout: Duration = .seconds(30)
    ) {
        self.terms = terms
        self.session = session
        self.context = context
        self.timeout = timeout
    }

    /// The timeout in whole milliseconds, or nil when a part is out of range.
    var validTimeout: UInt64? {
        let (seconds, attoseconds) = timeout.components
        guard context.count <= Invite.maximumContextLength, session.map({ $0.count == Invite.sessionLength }) ?? true,
            seconds >= 0, attoseconds >= 0, seconds <= 600
        else { return nil }
        let milliseconds = UInt64(seconds) * 1_000 + UInt64(attoseconds) / 1_000_000_000_000_000
        return Invite.timeoutRange.contains(milliseconds) ? milliseconds : nil
    }
}

/// An invitation that the peer sent.
public struct ReceivedInvitation: Hashable, Sendable {
    /// The session identifier, 16 bytes.
    public let session: [UInt8]
    /// How the peer wants payload to travel.
    public let encryption: EncryptionPreference
    /// Whether the peer will show a certificate.
    public let showsCertificate: Bool
    /// Opaque bytes of the peer's app.
    public let context: [UInt8]
    /// How long the peer waits, from when it sent the invitation.
    public let timeout: Duration

    init(_ invite: Invite) {
        session = invite.session
        encryption = invite.preference
        showsCertificate = invite.identityKind == .x509
        context = invite.context
        timeout = .milliseconds(invite.timeout)
    }
}

/// Why an app declines.
@nonexhaustive
public enum DeclineReason: Hashable, Sendable {
    case declined
    case busy
    /// Nobody answered in the time that this side allows.
    case noAnswer
    /// This side's own invitation on another link stands (SPEC §8.7).
    case superseded
}
