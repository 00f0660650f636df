import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerStorage
import MultipeerTransfers

/// Settings that decide how the command answers a link's questions.
struct SessionSettings: Sendable {
    /// The way to decide about invitations.
    enum Acceptance: Sendable {
        case all, none
        case ask(Prompter)
    }

    let terms: SessionTerms
    let policy: TrustPolicy
    /// Says which peers were met before.
    let validator: any CertificateValidator
    let acceptance: Acceptance
    let inbox: DownloadDirectory?
    /// What to send when the session is open, or nil for a peer that only receives.
    let outbox: Outbox?
    /// Where the bytes of a stream go, or nil for a peer that takes none.
    let outlet: StreamOutlet?
    /// Hashes what is held of files.
    let digest: any BulkDigest
    /// Whether there can be several links at a time.
    let showsNumbers: Bool

    init(
        _ prepared: PreparedSession, acceptance: Acceptance, outbox: Outbox? = nil, outlet: StreamOutlet? = nil,
        showsNumbers: Bool = false
    ) {
        terms = prepared.terms
        policy = prepared.policy
        validator = prepared.validator
        inbox = prepared.inbox
        self.acceptance = acceptance
        self.outbox = outbox
        self.outlet = outlet
        digest = prepared.configuration.crypto.bulkDigest
        self.showsNumbers = showsNumbers
    }
}

/// What to send.
struct Outbox: Sendable {
    var messages: [[UInt8]] = []
    /// Standard input, if it goes out as a stream.
    var stream: StreamInput?
    /// The files. They are opened before the network is used, so that a wrong path is reported early.
    var files: [OutgoingFile] = []
    /// Makes the tags by which files can be resumed; nil for a peer whose identity ends with the process.
    var tags: OutgoingTags?
    /// Whether to stay after everything has been sent, until the peer closes.
    let stays: Bool
}
