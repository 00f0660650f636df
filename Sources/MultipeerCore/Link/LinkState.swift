import MultipeerCrypto
import MultipeerWire

/// What a link is, from its first byte to its last (SPEC §17). Keys exist in the states that need them, and in no other.
///
/// A state is small, because every look at it reads it whole: what is large is held by reference.
enum LinkState: ~Copyable {
    /// Hellos are exchanged. The only secret is the initiator's ephemeral key.
    case negotiating(NegotiatingLink)
    /// Both directions have keys, and a phase says what may come next.
    case secured(SecuredLink)
    /// The link is over. The sending key is left, for the frames that still wait.
    case flushing(SendingProtection)
    /// The link is over, and no key is left. A clear record may still wait.
    case closed

    /// Nothing more is received, and what waits still goes out.
    init(flushing channel: SecureChannel) {
        if let sending = channel.sending {
            self = .flushing(sending)
        } else {
            self = .closed
        }
    }

    /// How far the link has come.
    var stage: LinkStage {
        switch self {
        case .negotiating: .hello
        case .secured(let secured): secured.stage
        case .flushing: .closed
        case .closed: .closed
        }
    }

    /// What the link asks about before it hands an input over.
    var status: PhaseStatus {
        switch self {
        case .negotiating: .negotiating
        case .secured(let secured): secured.status
        case .flushing: .over
        case .closed: .over
        }
    }

    var isNegotiating: Bool {
        switch self {
        case .negotiating: true
        case .secured: false
        case .flushing: false
        case .closed: false
        }
    }

    /// Whether the link is over: nothing more is received.
    var isOver: Bool {
        switch self {
        case .negotiating: false
        case .secured: false
        case .flushing: true
        case .closed: true
        }
    }

    /// The payload of an open link, also while what is queued still goes out.
    var payload: OpenLink? {
        switch self {
        case .negotiating: nil
        case .secured(let secured): secured.payload
        case .flushing: nil
        case .closed: nil
        }
    }

    /// Whether an open link has something to write.
    var hasOutput: Bool {
        switch self {
        case .negotiating: false
        case .secured(let secured): secured.hasOutput
        case .flushing: false
        case .closed: false
        }
    }

    /// Queues a message; nil on a link that is not open.
    func send(_ message: [UInt8]) throws(RequestError) -> MessageTag? {
        switch self {
        case .negotiating: nil
        case .secured(let secured): try secured.payload?.send(message)
        case .flushing: nil
        case .closed: nil
        }
    }

    /// Takes a frame of an open link. False on one that is not open.
    func receive(
        _ frame: borrowing RawFrame, type: FrameType, from kind: RecordKind, in context: LinkContext
    ) throws(LinkFailureCause) -> Bool {
        switch self {
        case .negotiating: false
        case .secured(let secured): try secured.payload?.receive(frame, type: type, from: kind, in: context) ?? false
        case .flushing: false
        case .closed: false
        }
    }

    /// A record came and verified.
    func heard(at now: Instant) {
        switch self {
        case .negotiating: break
        case .secured(let secured): secured.payload?.heard(at: now)
        case .flushing: break
        case .closed: break
        }
    }

    /// Whether there is a key for what is sent.
    var canSend: Bool {
        switch self {
        case .negotiating: false
        case .secured(let secured): secured.sending != nil
        case .flushing: true
        case .closed: false
        }
    }

    /// Writes a record of payload into `room` bytes, if there is something to write. Returns whether it did, and more may wait.
    @_lifetime(output: copy output)
    func writePayload(
        room: Int, to output: inout OutputSpan<UInt8>, in context: LinkContext
    ) throws(CryptoFailure) -> Bool {
        switch self {
        case .negotiating: false
        case .secured(let secured):
            try secured.payload?.writeRecord(
                room: room, to: &output, with: secured.sending, isDraining: secured.stage == .draining, in: context)
                ?? false
        case .flushing: false
        case .closed: false
        }
    }

    /// What protects sent records.
    var sending: SendingProtection? {
        switch self {
        case .negotiating: nil
        case .secured(let secured): secured.sending
        case .flushing(let sending): sending
        case .closed: nil
        }
    }

    /// What further keys are derived from (SPEC §9.8).
    var exports: ExportKeys? {
        switch self {
        case .negotiating: nil
        case .secured(let secured): secured.channel.exports
        case .flushing: nil
        case .closed: nil
        }
    }

    /// The exchange that short strings come of (SPEC §25.6).
    var strings: ShortStringExchange? {
        switch self {
        case .negotiating: nil
        case .secured(let secured): secured.channel.strings
        case .flushing: nil
        case .closed: nil
        }
    }

    /// How many records have been opened: the counter of the next.
    var receivedCount: UInt64 {
        switch self {
        case .negotiating: 0
        case .secured(let secured): secured.receiving?.opener.counter ?? 0
        case .flushing: 0
        case .closed: 0
        }
    }

    /// Verifies a record. Returns the frames of an encrypted one, to be given back by ``recycle(_:)``; nil without a key.
    func open(_ header: RecordHeader, record: Span<UInt8>) throws(CryptoFailure) -> [UInt8]? {
        switch self {
        case .negotiating: nil
        case .secured(let secured): try secured.receiving?.open(header, record: record)
        case .flushing: nil
        case .closed: nil
        }
    }

    /// Keeps the memory of a record's frames for the next one.
    func recycle(_ plaintext: consuming [UInt8]) {
        switch self {
        case .negotiating: break
        case .secured(let secured): secured.receiving?.opener.recycle(plaintext)
        case .flushing: break
        case .closed: break
        }
    }

    /// What verifies received records.
    var receiving: ReceivingProtection? {
        switch self {
        case .negotiating: nil
        case .secured(let secured): secured.receiving
        case .flushing: nil
        case .closed: nil
        }
    }
}

/// The phase before there are keys.
final class NegotiatingLink {
    private var hello: HelloPhase?

    init(_ hello: consuming HelloPhase) { self.hello = .some(hello) }

    /// Takes the phase out, with its secret. It is there once.
    func takeHello() -> HelloPhase? { hello.take() }
}

/// Keys, and the phase that uses them. Whatever changes the phase makes a new one of these.
///
/// What every record needs is stored here, and not in the referenced object: Swift 6.3 counts a reference that it reads
/// from a class, even from a constant of one, for as long as it uses it (docs/decisions/0024).
struct SecuredLink {
    /// The payload of an open link, also while what is queued still goes out.
    let payload: OpenLink?
    /// What protects sent records.
    let sending: SendingProtection?
    /// What verifies received records.
    let receiving: ReceivingProtection?
    private let content: Content

    /// What is asked for less often.
    private final class Content {
        let channel: SecureChannel
        let stage: LinkStage
        let status: PhaseStatus
        var phase: Phase?

        init(channel: SecureChannel, phase: consuming Phase) {
            self.channel = channel
            stage = phase.stage
            status = phase.status
            self.phase = .some(phase)
        }
    }

    init(channel: SecureChannel, phase: consuming Phase) {
        payload = phase.payload
        sending = channel.sending
        receiving = channel.receiving
        content = Content(channel: channel, phase: phase)
    }

    var channel: SecureChannel { content.channel }
    /// How far the link has come.
    var stage: LinkStage { content.stage }
    /// What the link asks about before it hands an input over.
    var status: PhaseStatus { content.status }

    /// Takes the phase out, with its secrets. It is there once.
    func takePhase() -> Phase? { content.phase.take() }

    /// Whether there is something to write. A link that has drained has CLOSE to send.
    var hasOutput: Bool { payload?.hasOutput(isDraining: stage == .draining) ?? false }
}

extension PhaseStatus {
    /// Before keys exist.
    static var negotiating: PhaseStatus { PhaseStatus(withoutKeysAt: .hello, readinessToInvite: .onceIdentified) }
    /// When the link is over.
    static var over: PhaseStatus { PhaseStatus(withoutKeysAt: .closed, readinessToInvite: .never) }

    private init(withoutKeysAt stage: LinkStage, readinessToInvite: ReadinessToInvite) {
        self.init(
            stage: stage, isPeerProved: false, payloadEncryption: nil, readinessToInvite: readinessToInvite,
            openQuestion: nil, deliversWhileClosing: false, carried: nil)
    }
}
