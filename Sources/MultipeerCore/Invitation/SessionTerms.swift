public import MultipeerCertificates
public import MultipeerCrypto
public import MultipeerWire

/// What one peer brings into a session: how payload should travel, and the certificate that it shows.
public struct SessionTerms: Sendable {
    /// How payload should travel (SPEC §11).
    public let encryption: EncryptionPreference
    /// The certificate that the local peer shows, or nil.
    public let certificate: LocalCertificate?

    /// Creates terms. Encryption is *required* by default.
    public init(encryption: EncryptionPreference = .required, certificate: LocalCertificate? = nil) {
        self.encryption = encryption
        self.certificate = certificate
    }

    var identityKind: IdentityKind { certificate == nil ? .none : .x509 }
}

/// The session to which the local peer invites.
public enum InvitedSession: Hashable, Sendable {
    /// A new one, which the local peer founds for the invitation.
    case new(parameters: [Field] = [])
    /// A new one, whose charter the local peer has made already.
    case founded(Charter)
    /// One that exists, and that the peer is to join. The chain is the local peer's: empty for the founder (R8.2-7).
    /// The remote peer ends the link if it is not valid (R8.2-8).
    case existing(Charter, chain: [Admission] = [])
    /// One of which both are members. Only the initiator of a link to a member invites so (R14.8-1).
    case members(Charter, chain: [Admission])

    /// What the session is; nil for one that has no charter yet.
    public var charter: Charter? {
        switch self {
        case .new: nil
        case .founded(let charter): charter
        case .existing(let charter, _): charter
        case .members(let charter, _): charter
        }
    }

    /// The local peer's chain of admissions; nil for a new session, which has none.
    public var chain: [Admission]? {
        switch self {
        case .new, .founded: nil
        case .existing(_, let chain): chain
        case .members(_, let chain): chain
        }
    }

    /// How INVITE says it.
    public var kind: SessionKind {
        switch self {
        case .new, .founded: .new
        case .existing: .existing
        case .members: .members
        }
    }

    /// Whether all parts are in range, so that a peer can decode what is sent. `key` is the local peer's.
    func isEncodable(for key: IdentityKey) -> Bool {
        let made = makeCharter(founder: key, nonce: [UInt8](repeating: 0, count: Charter.partLength))
        // The founder of a new session is its inviter (R8.2-5).
        guard kind != .new || made.founder == key.rawBytes else { return false }
        let (bytes, admissions) = (made.encoded, chain ?? [])
        let encodedChain = Admission.encode(admissions)
        return (try? Charter(encoded: bytes.span)) == made && (try? Admission.chain(encodedChain.span)) == admissions
    }

    /// The charter, which for a new session is made of these.
    func makeCharter(founder: IdentityKey, nonce: @autoclosure () -> [UInt8]) -> Charter {
        if case .new(let parameters) = self {
            Charter(founder: founder.rawBytes, nonce: nonce(), parameters: parameters)
        } else {
            charter ?? Charter(founder: founder.rawBytes, nonce: nonce())
        }
    }
}

/// An invitation that the local peer sends (SPEC §8.2).
public struct OutgoingInvitation: Sendable {
    /// What the local peer brings.
    public let terms: SessionTerms
    /// To which session.
    public let session: InvitedSession
    /// Opaque bytes for the peer's app; at most 16,384.
    public let context: [UInt8]
    /// How long to wait for the answer: 1 ms to 10 minutes.
    public let timeout: Duration

    /// Creates an invitation. The default timeout is 30 s, as in Apple's API.
    public init(
        terms: SessionTerms, session: InvitedSession, context: [UInt8] = [], timeout: Duration = .seconds(30)
    ) {
        self.terms = terms
        self.session = session
        self.context = context
        self.timeout = timeout
    }

    /// Creates an invitation to a session that the local peer founded, or founds for the invitation if there is no
    /// charter.
    public init(
        terms: SessionTerms, charter: Charter? = nil, context: [UInt8] = [], timeout: Duration = .seconds(30)
    ) {
        self.init(
            terms: terms, session: charter.map { InvitedSession.existing($0) } ?? .new(), context: context,
            timeout: timeout)
    }

    /// What the session is; nil for one that has no charter yet.
    public var charter: Charter? { session.charter }

    /// The timeout in whole milliseconds, or nil when it or the context is out of range.
    var validTimeout: UInt64? {
        let (seconds, attoseconds) = timeout.components
        guard context.count <= Invite.maximumContextLength, seconds >= 0, attoseconds >= 0, seconds <= 600 else {
            return nil
        }
        let milliseconds = UInt64(seconds) * 1_000 + UInt64(attoseconds) / 1_000_000_000_000_000
        return Invite.timeoutRange.contains(milliseconds) ? milliseconds : nil
    }

    /// Whether a link in this role can send it.
    func isSendable(by key: IdentityKey, as role: LinkRole) -> Bool {
        validTimeout != nil && session.isEncodable(for: key) && (session.kind != .members || role == .initiator)
    }
}

/// An invitation that the peer sent.
public struct ReceivedInvitation: Hashable, Sendable {
    /// Which session it is.
    public let session: SessionID
    /// What the session is.
    public let charter: Charter
    /// Whether the session is a new one, one that the local peer is to join, or one of which both are members.
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

    /// Whether SPEC §11 has an outcome for the peer's preference and this one. An invitation for which it has none cannot succeed:
    /// nobody is asked about it, and it is declined by ``DeclineReason/encryptionPolicy(_:)`` (R8.2-9).
    public func canAgree(with preference: EncryptionPreference) -> Bool {
        EncryptionPolicy.outcome(encryption, preference) != nil
    }

    init(_ invite: Invite, hashing: any Hashing) {
        session = SessionID(invite.charter, hashing: hashing)
        charter = invite.charter
        kind = invite.sessionKind
        chain = invite.chain
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
    /// Nobody answered in the time that the local peer allows.
    case noAnswer
    /// The local peer is no present member of the session (SPEC §14.8).
    case noSession
    /// The local peer takes no more members (SPEC §14.8).
    case sessionFull
    /// The local peer has this preference, which cannot be reconciled with the remote peer's (SPEC §11, R8.4-2). The
    /// remote peer hears it.
    case encryptionPolicy(EncryptionPreference)
}
