public import MultipeerCertificates
public import MultipeerCrypto
public import MultipeerWire

/// How far a link has come (SPEC §17, §25.7).
@nonexhaustive
public enum LinkStage: String, Sendable, CaseIterable {
    case hello, proof, info, identified, pairing, resuming, inviting, invited, certificates, open, draining, closing,
        closed
}

/// Why a link failed: at which stage, and whose fault it was.
///
/// Equatable and without strings; `description` and ``remedy`` are for people.
public struct LinkFailure: Error, Hashable, Sendable {
    /// How far the link had come.
    public let stage: LinkStage
    /// Why.
    public let cause: LinkFailureCause

    /// Creates a failure of `stage` for `cause`.
    public init(stage: LinkStage, cause: LinkFailureCause) {
        self.stage = stage
        self.cause = cause
    }
}

/// The cause of a failure, sorted by blame.
@nonexhaustive
public enum LinkFailureCause: Error, Hashable, Sendable {
    /// The peer's bytes do not decode.
    case malformed(WireError)
    /// The peer's bytes decode, and break the protocol.
    case violation(PeerViolation)
    /// Both peers are correct, and have nothing in common.
    case incompatible(Incompatibility)
    /// The peer is not trusted.
    case certificate(CertificateRejection)
    /// The invitation ended without a session.
    case invitation(InvitationEnd)
    /// The peer was not verified.
    case verification(VerificationFailure)
    /// The peer closed the link with this code (SPEC §18).
    case peerClosed(CloseCode)
    /// The stage took too long.
    case timedOut
    /// Nothing came for longer than the keep-alive allows (SPEC §13.7).
    case silent
    /// The stream ended without CLOSE (SPEC §16.2).
    case truncated
    /// The local cryptography failed.
    case crypto(CryptoFailure)
    /// The local peer's own limits do not let the link continue.
    case limit(LocalLimit)
}

/// Which local limit a link has met. SPEC leaves these to each peer; a driver applies them by `Link.fail(_:at:)`.
@nonexhaustive
public enum LocalLimit: Hashable, Sendable {
    /// The local peer has no place for the link, or gave the place to another one.
    case noRoom
    /// The peer takes nothing: what the local peer sends makes no progress.
    case sendingStalled
    /// The peer does not continue what it has begun to send.
    case receivingStalled
    /// The peer does not use the memory that its message was granted, and others wait for it (R13.5-5).
    case messageStalled
    /// The peer has more answered than it takes of the answers (R19-5).
    case outputWaits
}

/// What a peer must not do (SPEC §18).
@nonexhaustive
public enum PeerViolation: Hashable, Sendable {
    case unexpectedRecord(RecordKind)
    /// A frame that the stage does not allow, by its type.
    case unexpectedFrame(UInt64)
    case limitExceeded
    /// More than the local peer has granted (SPEC §13.3).
    case creditExceeded
    /// An admission or an entry that does not verify (SPEC §14).
    case entryInvalid
    case decryptFailed
    case wrongProtection
    case illegalChoice
    case handshakeFailed
    case proofInvalid
    /// Another identity key than the one that was expected.
    case unexpectedIdentity(IdentityKey)
    case ownIdentity
    case policyViolation
    /// A nonce that the peer had not committed to (SPEC §25.3).
    case commitmentInvalid
}

/// Why a peer could not be verified by a one-time code (SPEC §25.5, §25.6).
@nonexhaustive
public enum VerificationFailure: Hashable, Sendable {
    /// The two peers do not have the same code.
    case codeWrong
    /// The local peer shows no code of the number that the remote peer's person typed, or another peer tries it, or the
    /// local peer has just invited.
    case codeUnavailable
}

/// What two correct peers can fail to agree on.
@nonexhaustive
public enum Incompatibility: Hashable, Sendable {
    /// The initiator offered no version that this responder has.
    case noCommonVersion
    /// The initiator offered no suite that this responder has.
    case noCommonSuite
    /// The responder refused; its word is not authenticated (SPEC §7.5).
    case refused(Refusal.Code)
    /// A critical frame of a later version, by its type.
    case unsupportedFrame(UInt64)
    /// A critical field, or a value of an extensible enumeration.
    case unsupportedField(WireError)
    /// SPEC §11 says *refused*.
    case encryptionPolicy(local: EncryptionPreference, remote: EncryptionPreference)
}

/// How an invitation ends without a session.
@nonexhaustive
public enum InvitationEnd: Hashable, Sendable {
    /// The peer's app said no.
    case declinedByPeer
    /// The peer has no room.
    case peerBusy
    /// The peer's app did not answer, or the local peer's time was over first.
    case noAnswer
    /// The local peer has given the link up for another one to the same peer (SPEC §8.7).
    case superseded
    /// The invitee is no present member of the session (SPEC §14.8).
    case noSession
    /// The invitee takes no more members (SPEC §14.8).
    case sessionFull
    /// The local app said no.
    case declined
    /// The peer took its invitation back.
    case withdrawnByPeer
    /// The local peer took its invitation back.
    case withdrawn
}

extension LinkFailureCause {
    /// Sorts a decoding error by blame.
    init(_ error: WireError) {
        self = error.reason == .unknownCritical ? .incompatible(.unsupportedField(error)) : .malformed(error)
    }

    /// Sorts a fault of the record stream by blame.
    init(_ fault: RecordFault) {
        self =
            switch fault {
            case .malformed(let error): .malformed(error)
            case .unexpectedKind(let kind): .violation(.unexpectedRecord(kind))
            case .limitExceeded: .violation(.limitExceeded)
            }
    }
}
