public import MultipeerCertificates
public import MultipeerCrypto
public import MultipeerWire

/// Names one question to the app. Each is answered at most once.
public struct LinkToken: Hashable, Sendable {
    let number: UInt64
}

/// What a link reports to its driver, or asks of it.
@nonexhaustive
public enum LinkEffect: Sendable {
    /// The peer proved its key and said its name.
    indirect case identified(PeerID)
    /// The peer invites: answer by `accept` or `decline` before the invitation's timeout is over.
    indirect case invited(LinkToken, ReceivedInvitation)
    /// The peer accepted; payload will travel so.
    case invitationAccepted(EncryptionOutcome)
    /// Verify the peer and answer by `submitVerdict` before the deadline, or the peer is refused (SPEC §10.5).
    indirect case verify(LinkToken, PeerEvidence)
    /// The session is open.
    indirect case opened(LinkSummary)
    /// A whole message. Say so by `Link.releaseCredit(_:at:)` once the app has taken it, or the peer gets no more credit.
    case message([UInt8])
    /// What became of local messages. Each message is in exactly one of these.
    case messages(MessageRange, MessageResult)
    /// A message of the peer lacks N bytes of memory. Answer by `Link.grantMemory(_:at:)`, as soon as there is a part
    /// of them: once most of that is used, the link asks for what it lacks then.
    case memoryWanted(UInt64)
    /// N bytes of granted memory are not needed any more.
    case memoryReturned(UInt64)
    /// The peer does not use the memory that its message was granted. If others wait for memory, end the link by
    /// `Link.fail(_:at:)` with ``LocalLimit/messageStalled`` (R13.5-5).
    case messageStalled
    /// About one-time codes and short strings.
    indirect case verification(VerificationEvent)
    /// The peer has answered a probe of the node that owns the link (SPEC §8.7): it is there.
    case probeAnswered
    /// Both peers have said that they take datagrams, so a path may begin (SPEC §26.2): to this port of the peer's host, or, for a
    /// responder, to the one that proves itself.
    case datagramPath(port: UInt16?)
    /// A message that has come beside the link (SPEC §26.6). A driver reports it, and no link.
    case datagram([UInt8])
    /// About streams.
    case stream(StreamEvent)
    /// About a file that the peer sends.
    case incomingFile(IncomingFileEvent)
    /// About a file that the local peer sends.
    case outgoingFile(OutgoingFileEvent)
    /// The link is over. Exactly one, and no other but ``trace(_:)`` after it.
    indirect case closed(LinkEnd)
    /// A record passed; only if the configuration asks.
    indirect case trace(TraceEntry)
}

/// How a link is over.
@nonexhaustive
public enum LinkEnd: Hashable, Sendable {
    /// An open session closed without an error. N local messages were still waiting to be sent.
    case finished(unsentMessages: Int)
    /// Anything else.
    case failed(LinkFailure)
}

/// What both peers of an open link agree on.
public struct LinkSummary: Hashable, Sendable {
    /// The remote peer.
    public let peer: PeerID
    /// Why the peer was accepted; see `TrustBasis.isVerified`.
    public let trust: TrustBasis
    /// How payload travels.
    public let encryption: EncryptionOutcome
    /// The cipher suite.
    public let suite: Suite
    /// Which session it is.
    public let session: SessionID
    /// What the session is. Pass it on to invite others to the same session.
    public let charter: Charter
    /// The handshake hash, 32 bytes: the same for both peers, and on no other link. It must not be shortened for people
    /// to compare (R9.7-4); to bind to a link use `Link.export(label:context:length:at:)`.
    public let handshakeHash: Digest
    /// The longest message that the peer takes, in bytes.
    public let peerMaximumMessage: UInt64
}

/// A record that passed.
public struct TraceEntry: Hashable, Sendable {
    /// Which way.
    public enum Direction: String, Sendable { case sent, received }

    public let direction: Direction
    /// The bytes on the wire: with a clear record also the magic before it.
    public let wire: [UInt8]
    public let kind: RecordKind
    /// The counter of a protected record.
    public let counter: UInt64?
    /// The frames of a protected record, or the body of a clear one.
    public let plaintext: [UInt8]
}
