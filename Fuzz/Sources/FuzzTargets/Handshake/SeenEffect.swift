import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// An effect, comparable.
enum SeenEffect: Equatable {
    case identified(IdentityKey, String)
    case invited(ReceivedInvitation)
    case accepted(EncryptionOutcome)
    case judge(IdentityKey, String, hasChain: Bool)
    case opened(LinkSummary, String)
    case message([UInt8])
    case file
    case closed(LinkEnd)
    case trace(TraceEntry)

    init(_ effect: LinkEffect) {
        self =
            switch effect {
            case .identified(let peer): .identified(peer.key, peer.displayName.description)
            case .invited(_, let invitation), .invitationsMerged(let invitation): .invited(invitation)
            case .invitationAccepted(let outcome): .accepted(outcome)
            case .judge(_, let evidence):
                .judge(evidence.peer.key, evidence.peer.displayName.description, hasChain: evidence.chain != nil)
            case .opened(let summary): .opened(summary, summary.peer.displayName.description)
            case .message(let message): .message(message)
            case .incomingFile, .outgoingFile: .file
            case .closed(let end): .closed(end)
            case .trace(let entry): .trace(entry)
            }
    }

    var isEnd: Bool { if case .closed = self { true } else { false } }
    var isTrace: Bool { if case .trace = self { true } else { false } }
}
