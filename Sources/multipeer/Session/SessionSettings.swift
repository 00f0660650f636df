import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerStorage

/// Settings that decide how the command answers a link's questions.
struct SessionSettings: Sendable {
    /// The way to decide about invitations.
    enum Acceptance: Sendable {
        case all, none
        case ask(Prompter)
    }

    let terms: SessionTerms
    let policy: TrustPolicy
    let acceptance: Acceptance
    let inbox: Inbox?
    /// What to send when the session is open, or nil for a side that only receives.
    let outbox: Outbox?
    /// Whether there can be several links at a time.
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

/// The messages and files to send.
struct Outbox: Sendable {
    let messages: [[UInt8]]
    /// The files. They are opened before the network is used, so that a wrong path is reported early.
    let files: [OutgoingFile]
    /// Whether to stay after everything has been sent, until the peer closes.
    let stays: Bool
}
