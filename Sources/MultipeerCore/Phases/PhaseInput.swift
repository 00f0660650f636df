import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

/// What can happen to a link that has keys, frames apart.
enum PhaseInput {
    // The peer, the transport, the clock
    /// A record came and verified.
    case recordCame
    /// CLOSE came (SPEC §16.1).
    case peerClosed(CloseCode)
    /// The stream ended without CLOSE (SPEC §16.2).
    case streamEnded
    /// The phase's deadline has passed.
    case timeout

    // The local peer
    /// Something went wrong that is no matter of the phase.
    case fail(LinkFailureCause)
    /// The app closes in good order.
    case close
    /// The app closes at once, with a code that says why.
    case closeNow(CloseCode)
    /// All messages that were queued when the app closed have gone out.
    case drained

    // Requests that the phase's status allows
    case invite(OutgoingInvitation)
    case accept(SessionTerms)
    case decline(DeclineReason)
    case verdict(Verdict)
    case giveCode(GivenCode)
    /// Nil if there is no code of that number.
    case answerCode(GivenCode?)
}

/// A one-time code of the app's, and the link that it is tried on.
struct GivenCode {
    let code: OneTimeCode
    /// `sid` (SPEC §25.1).
    let sessionIdentifier: SharedSecret
    let primitives: PairingPrimitives
    /// The code that is guessed, if it is shown here.
    var presented: PresentedCode?
}

/// What the link asks a phase about.
struct PhaseStatus {
    let stage: LinkStage
    /// Whether the peer's PROOF is verified, so that odd frames may be skipped and long records taken.
    let isPeerProved: Bool
    /// How payload travels, once the link is open.
    let payloadEncryption: EncryptionOutcome?
    /// When a local invitation can go out.
    let readinessToInvite: ReadinessToInvite
    /// The question that the app owes an answer to.
    let openQuestion: LinkQuestion?
    /// Whether the app has closed an open link, and what is on the way is still delivered (R16.1-3).
    let deliversWhileClosing: Bool
    /// What goes over the open link, also while what is on the way to a closed one is still delivered.
    let carried: OpenLink?
}

/// A question to the app. An answer counts only under its token, and only if it answers what was asked.
enum LinkQuestion: Equatable {
    case invitation(LinkToken)
    case verdict(LinkToken)
    case code(LinkToken)
}

/// When a local invitation can go out.
enum ReadinessToInvite {
    case now
    /// Now if the local peer is an initiator that expects a certain peer, otherwise once the remote peer is identified.
    case nowIfExpected
    case onceIdentified
    /// Once the one-time code that is being tried has been found right.
    case oncePaired
    case never
}
