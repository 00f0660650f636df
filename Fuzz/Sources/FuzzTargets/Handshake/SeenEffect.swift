import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// An effect, comparable. No enumeration: what a baseline keeps must hold plain pointers, since an enumeration hides its
/// case in them, and what is kept then looks like a leak to LeakSanitizer.
struct SeenEffect: Equatable {
    enum Kind: UInt8 {
        case identified, invited, accepted, judge, opened, message, file, closed, trace
    }

    let kind: Kind
    /// Of `identified`, `judge` and `opened`.
    private(set) var key: IdentityKey?
    private(set) var name: String?
    private(set) var hasChain = false
    private(set) var invitation: ReceivedInvitation?
    private(set) var outcome: EncryptionOutcome?
    private(set) var summary: LinkSummary?
    private(set) var message: [UInt8]?
    private(set) var end: LinkEnd?
    private(set) var trace: TraceEntry?

    init(_ effect: LinkEffect) {
        switch effect {
        case .identified(let peer): self.init(.identified, peer)
        case .invited(_, let invitation):
            self.init(.invited, nil)
            self.invitation = invitation
        case .invitationAccepted(let outcome):
            self.init(.accepted, nil)
            self.outcome = outcome
        case .verify(_, let evidence):
            self.init(.judge, evidence.peer)
            hasChain = evidence.chain != nil
        case .opened(let summary):
            self.init(.opened, summary.peer)
            self.summary = summary
        case .message(let message):
            self.init(.message, nil)
            self.message = message
        case .incomingFile, .outgoingFile, .stream, .messages, .probeAnswered, .datagramPath, .datagram, .memoryWanted,
            .memoryReturned,
            .messageStalled,
            .verification:
            self.init(.file, nil)
        case .closed(let end):
            self.init(.closed, nil)
            self.end = end
        case .trace(let entry): self.init(entry)
        @unknown default: self.init(.file, nil)
        }
    }

    init(_ entry: TraceEntry) {
        self.init(.trace, nil)
        trace = entry
    }

    private init(_ kind: Kind, _ peer: PeerID?) {
        self.kind = kind
        key = peer?.key
        name = peer?.displayName?.description
    }
}
