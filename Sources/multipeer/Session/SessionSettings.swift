import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerStorage

/// How the command answers a link's questions.
struct SessionSettings: Sendable {
    /// Who decides about invitations.
    enum Acceptance: Sendable {
        case all, none
        case ask(Prompter)
    }

    let terms: SessionTerms
    let policy: TrustPolicy
    let acceptance: Acceptance
    let inbox: Inbox?
    /// What to send once the session is open; nil for a side that only receives.
    let outbox: Outbox?
    /// Whether several links can be there at a time.
    let showsNumbers: Bool

    init(
        _ prepared: PreparedSession, acceptance: Acceptance, outbox: Outbox? = nil, showsNumbers: Bool = false
    ) {
        terms = prepared.terms
        policy = prepared.policy
        inbox = prepared.inbox
        self.acceptance = acceptance
        self.outbox = outbox
        self.showsNumbers = showsNumbers
    }
}

/// What to send.
struct Outbox: Sendable {
    let messages: [[UInt8]]
    /// Opened before the network is touched, so that a wrong path is told early.
    let files: [OutgoingFile]
    /// Whether to stay when all is sent, until the peer closes.
    let stays: Bool
}
