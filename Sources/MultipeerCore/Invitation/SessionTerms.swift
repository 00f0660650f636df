public import MultipeerCertificates
public import MultipeerCrypto
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
    /// The session to join; nil for a new one, which this side founds.
    public let charter: Charter?
    /// This side's chain of admissions to that session: empty for its founder, and for a new one (R8.2-7). The peer ends the
    /// link if it is not valid (R8.2-8).
    public let chain: [Admission]
    /// Whether the peer is a member of that session as well. Only the initiator of a link to a member invites so (R14.8-1).
    public let isToMember: Bool
    /// Opaque bytes for the peer's app; at most 16,384.
    public let context: [UInt8]
    /// How long to wait for the answer: 1 ms to 10 minutes.
    public let timeout: Duration

    /// Creates an invitation. The default timeout is 30 s, as in Apple's API.
    public init(
        terms: SessionTerms, charter: Charter? = nil, chain: [Admission] = [], isToMember: Bool = false,
        context: [UInt8] = [], timeout: Duration = .seconds(30)
    ) {
        self.terms = terms
        self.charter = charter
        self.chain = chain
        self.isToMember = isToMember
        self.context = context
        self.timeout = timeout
    }

    /// What the session is to the peer.
    var kind: SessionKind { charter == nil ? .new : isToMember ? .members : .existing }

    /// The timeout in whole milliseconds, or nil when a part is out of range.
    var validTimeout: UInt64? {
        let (seconds, attoseconds) = timeout.components
        guard context.count <= Invite.maximumContextLength, charter?.isEncodable ?? true, hasEncodableChain,
            seconds >= 0, attoseconds >= 0, seconds <= 600
        else { return nil }
        let milliseconds = UInt64(seconds) * 1_000 + UInt64(attoseconds) / 1_000_000_000_000_000
        return Invite.timeoutRange.contains(milliseconds) ? milliseconds : nil
    }
}

extension OutgoingInvitation {
    /// Whether the chain can be sent: a new session has none, and each admission has its length.
    private var hasEncodableChain: Bool {
        let bytes = Admission.encode(chain)
        return charter == nil ? chain.isEmpty && !isToMember : (try? Admission.chain(bytes.span)) == chain
    }
}

extension Charter {
    /// Whether all parts are in range, so that a peer can decode what is sent.
    fileprivate var isEncodable: Bool {
        let bytes = encoded
        return (try? Charter(encoded: bytes.span)) == self
    }
}

/// An invitation that the peer sent.
public struct ReceivedInvitation: Hashable, Sendable {
    /// Which session it is.
    public let session: SessionID
    /// What the session is.
    public let charter: Charter
    /// Whether the session is a new one, one that this side is to join, or one of which both are members.
    public let kind: SessionKind
    /// The peer's chain of admissions, which is valid for it and this session (R8.2-8); nil for a new session.
    public let chain: [Admission]?
    /// How the peer wants payload to travel.
    public let encryption: EncryptionPreference
    /// Whether the peer will show a certificate.
    public let showsCertificate: Bool
    /// Opaque bytes of the peer's app.
    public let context: [UInt8]
    /// How long the peer waits, from when it sent the invitation.
    public let timeout: Duration

    /// Whether the peer founded the session for this invitation.
    public var isNewSession: Bool { kind == .new }

    /// Whether it merges with one's own invitation to a new session of the same parameters that it crosses: it is to a new
    /// session as well, and says nothing that this version does not know (R8.6-3).
    public let mayMerge: Bool

    init(_ invite: Invite, hashing: any Hashing) {
        session = SessionID(invite.charter, hashing: hashing)
        charter = invite.charter
        kind = invite.sessionKind
        chain = invite.chain
        mayMerge = invite.sessionKind == .new && !invite.hasUnknownFields
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
    /// This side is no present member of the session (SPEC §14.8).
    case noSession
    /// This side takes no more members (SPEC §14.8).
    case sessionFull
}
