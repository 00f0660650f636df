import MultipeerCrypto
import MultipeerWire

/// What a link is, from its first byte to its last (SPEC §17). Keys exist in the states that need them, and in no other.
enum LinkState: ~Copyable {
    /// Hellos are exchanged. The only secret is the initiator's ephemeral key.
    case negotiating(HelloPhase)
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
        case .secured(let secured): secured.phase.stage
        case .flushing: .closed
        case .closed: .closed
        }
    }

    /// What the link asks about before it hands an input over.
    var status: PhaseStatus {
        switch self {
        case .negotiating: .negotiating
        case .secured(let secured): secured.phase.status
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
        case .secured(let secured): secured.phase.payload
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

/// Keys, and the phase that uses them.
struct SecuredLink: ~Copyable {
    let channel: SecureChannel
    let phase: Phase
}

extension PhaseStatus {
    /// Before keys exist.
    static var negotiating: PhaseStatus { PhaseStatus(withoutKeysAt: .hello, readinessToInvite: .onceIdentified) }
    /// When the link is over.
    static var over: PhaseStatus { PhaseStatus(withoutKeysAt: .closed, readinessToInvite: .never) }

    private init(withoutKeysAt stage: LinkStage, readinessToInvite: ReadinessToInvite) {
        self.init(
            stage: stage, isPeerProved: false, payloadEncryption: nil, readinessToInvite: readinessToInvite,
            openQuestion: nil, deliversWhileClosing: false, association: nil)
    }
}
