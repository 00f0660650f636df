import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What one peer's app did and heard: the model that a link is compared with.
struct SessionMemory {
    // Identification and invitation.
    var identified: PeerID?
    var invitation: OutgoingInvitation?
    /// When INVITE was sent; nil while it waits for the channel.
    var inviteSentAt: Instant?
    var invitationTokens: [LinkToken] = []
    var hasAnsweredInvitation = false
    var received: ReceivedInvitation?
    var acceptedTerms: SessionTerms?
    /// What the peer's acceptance said.
    var acceptedOutcome: EncryptionOutcome?

    var verification = SessionVerification()

    // Certificates.
    var judgementTokens: [LinkToken] = []
    var hasJudged = false
    var verdict: TrustBasis?
    var summary: LinkSummary?

    // Payload.
    var sent: [[UInt8]] = []
    var tags: [MessageTag] = []
    /// What has become of each message, by its place.
    var results: [Int: MessageResult] = [:]
    /// The places of those that were taken back.
    var takenBack: Set<Int> = []
    /// The places of those that may arrive.
    var sendable: [Int] { sent.indices.filter { !takenBack.contains($0) } }
    var receivedMessages = 0
    /// What the app has not taken of messages, as credit counts them.
    var untaken: UInt64 = 0
    /// How many numbers the local peer has used.
    var begun: UInt64 = 0
    var outgoing: [UInt64: SessionFile] = [:]
    var incoming: [UInt64: SessionFile] = [:]
    var streams: [UInt64: SessionStream] = [:]

    // The end.
    var hasClosed = false
    var hasClosedWithCode = false
    var end: LinkEnd?

    /// What the local peer brings into the session.
    var terms: SessionTerms? { acceptedTerms ?? invitation?.terms }
    var isFinished: Bool { if case .finished = end { true } else { false } }
}

/// A file under way, or ended.
struct SessionFile {
    enum State: Equatable {
        /// Of the sender: not accepted. Of the receiver: not answered.
        case offered
        /// Of the sender: N bytes are to be hashed.
        case checking(UInt64)
        case moving
        /// Of the sender: all is supplied. Of the receiver: complete, and not confirmed.
        case whole
        case done
        case ended(FileCancel.Reason, byPeer: Bool)
    }

    let id: FileID
    let name: String
    let size: UInt64
    let hasTag: Bool
    var state = State.offered
    /// How many bytes of it the receiver held before.
    var start: UInt64 = 0
    /// Where the bytes that were supplied, or received, end.
    var count: UInt64 = 0
    /// Where the bytes that the app has taken end.
    var taken: UInt64 = 0
    /// How many bytes the link wants next; 0: none.
    var wanted = 0

    var isActive: Bool {
        switch state {
        case .offered, .checking, .moving, .whole: true
        case .done, .ended: false
        }
    }

    /// The bytes of a side's file, from a place on.
    static func content(of side: Int, file: UInt64, from offset: UInt64, count: Int) -> [UInt8] {
        let first = UInt64(side) &* 101 &+ file &* 29 &+ offset &* 7
        return (0..<count).map { UInt8(truncatingIfNeeded: first &+ UInt64($0) &* 7) }
    }

    /// The bytes of a side's message.
    static func message(of side: Int, number: Int, count: Int) -> [UInt8] {
        content(of: side + 2, file: UInt64(number), from: 0, count: count)
    }
}

/// A stream, as one peer sees it.
struct SessionStream {
    let id: StreamID
    let name: String
    let isOwn: Bool
    // What the local peer sends.
    var written: UInt64 = 0
    var hasFinished = false
    /// With which code it was given up, by the local peer or for the remote peer's STREAM_STOP.
    var resetCode: UInt64?
    var canWrite: Bool
    // What the peer sends.
    var received: UInt64 = 0
    var taken: UInt64 = 0
    var stopCode: UInt64?
    var hasEnded: Bool
    var hasTakenEnd = false
}
