import MultipeerCrypto
import MultipeerWire

/// What a link is, from its first byte to its last (SPEC §17). Keys exist in the states that need them, and in no other.
///
/// A state is small, because whoever asks about it reads it whole: what is large stands behind a reference.
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
    var payload: LinkPayload? {
        switch self {
        case .negotiating: nil
        case .secured(let secured): secured.payload
        case .flushing: nil
        case .closed: nil
        }
    }

    /// What protects sent records.
    var sending: SendingProtection? {
        switch self {
        case .negotiating: nil
        case .secured(let secured): secured.channel.sending
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

    /// What verifies received records.
    var receiving: ReceivingProtection? {
        switch self {
        case .negotiating: nil
        case .secured(let secured): secured.channel.receiving
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
final class SecuredLink {
    let channel: SecureChannel
    /// How far the link has come.
    let stage: LinkStage
    /// What the link asks about before it hands an input over.
    let status: PhaseStatus
    /// The payload of an open link, also while what is queued still goes out.
    let payload: LinkPayload?
    private var phase: Phase?

    init(channel: SecureChannel, phase: consuming Phase) {
        self.channel = channel
        stage = phase.stage
        status = phase.status
        payload = phase.payload
        self.phase = .some(phase)
    }

    /// Takes the phase out, with its secrets. It is there once.
    func takePhase() -> Phase? { phase.take() }
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
