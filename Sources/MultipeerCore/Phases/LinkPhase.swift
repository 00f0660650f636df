import MultipeerCertificates
import MultipeerWire

/// What every phase can be asked and told. The extension below says what holds for most of them; a phase that differs has
/// its own answer.
protocol LinkPhase: ~Copyable {
    var stage: LinkStage { get }
    var isPeerProved: Bool { get }
    var payload: OpenLink? { get }
    var payloadEncryption: EncryptionOutcome? { get }
    var readinessToInvite: ReadinessToInvite { get }
    var openQuestion: LinkQuestion? { get }
    var deliversWhileClosing: Bool { get }
    /// What travels on the link, or has travelled.
    var carried: OpenLink? { get }

    /// Wraps the phase, so that the link stays where it is.
    consuming func unchanged() -> Transition

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition

    consuming func recordCame(in context: LinkContext) -> Transition
    consuming func peerClosed(_ code: CloseCode) -> Ending
    consuming func streamEnded() -> Ending
    consuming func timeout(in context: LinkContext) throws(LinkFailureCause) -> Transition
    consuming func fail(_ cause: LinkFailureCause) -> Transition
    consuming func close(in context: LinkContext) -> Transition
    consuming func close(_ code: CloseCode) -> Transition
    consuming func drained(in context: LinkContext) -> Transition

    consuming func invite(_ invitation: OutgoingInvitation, in context: LinkContext) -> Transition
    consuming func accept(
        _ terms: SessionTerms, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition
    consuming func decline(_ reason: DeclineReason, in context: LinkContext) -> Transition
    consuming func apply(
        _ verdict: Verdict, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition
    consuming func give(_ code: GivenCode, in context: LinkContext) throws(LinkFailureCause) -> Transition
    consuming func answer(with code: GivenCode?, in context: LinkContext) throws(LinkFailureCause) -> Transition
}

// MARK: What holds unless a phase says otherwise

extension LinkPhase where Self: ~Copyable {
    var isPeerProved: Bool { true }
    var payload: OpenLink? { nil }
    var payloadEncryption: EncryptionOutcome? { payload?.summary.encryption }
    var readinessToInvite: ReadinessToInvite { .never }
    var openQuestion: LinkQuestion? { nil }
    var deliversWhileClosing: Bool { false }
    var carried: OpenLink? { payload }

    consuming func recordCame(in context: LinkContext) -> Transition { unchanged() }

    consuming func peerClosed(_ code: CloseCode) -> Ending {
        .closedByPeer(.failed(LinkFailure(stage: stage, cause: .peerClosed(code))))
    }

    consuming func streamEnded() -> Ending { .cutOff(LinkFailure(stage: stage, cause: .truncated)) }

    consuming func timeout(in context: LinkContext) throws(LinkFailureCause) -> Transition { throw .timedOut }

    consuming func fail(_ cause: LinkFailureCause) -> Transition {
        .end(.failed(LinkFailure(stage: stage, cause: cause)))
    }

    /// A link that is not open yet has no good end: its invitation counts as withdrawn.
    consuming func close(in context: LinkContext) -> Transition { close(.noError) }

    consuming func close(_ code: CloseCode) -> Transition {
        let failure = LinkFailure(stage: stage, cause: .invitation(InvitationEnd(closedWith: code)))
        return .end(.closedByApp(.failed(failure), code: code))
    }

    // The link hands these over only where the phase's status allows them.
    consuming func drained(in context: LinkContext) -> Transition { unchanged() }
    consuming func invite(_ invitation: OutgoingInvitation, in context: LinkContext) -> Transition {
        unchanged()
    }
    consuming func accept(
        _ terms: SessionTerms, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        unchanged()
    }
    consuming func decline(_ reason: DeclineReason, in context: LinkContext) -> Transition { unchanged() }
    consuming func apply(
        _ verdict: Verdict, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        unchanged()
    }
    consuming func give(
        _ code: GivenCode, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        unchanged()
    }
    consuming func answer(
        with code: GivenCode?, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        unchanged()
    }
}

// MARK: How the link talks to a phase

extension LinkPhase where Self: ~Copyable {
    var status: PhaseStatus {
        PhaseStatus(
            stage: stage, isPeerProved: isPeerProved, payloadEncryption: payloadEncryption,
            readinessToInvite: readinessToInvite, openQuestion: openQuestion,
            deliversWhileClosing: deliversWhileClosing, carried: carried)
    }

    consuming func handle(
        _ input: PhaseInput, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        switch input {
        case .recordCame: recordCame(in: context)
        case .peerClosed(let code): .end(peerClosed(code))
        case .streamEnded: .end(streamEnded())
        case .timeout: try timeout(in: context)
        case .fail(let cause): fail(cause)
        case .close: close(in: context)
        case .closeNow(let code): close(code)
        case .drained: drained(in: context)
        case .invite(let invitation): invite(invitation, in: context)
        case .accept(let terms): try accept(terms, in: context)
        case .decline(let reason): decline(reason, in: context)
        case .verdict(let verdict): try apply(verdict, in: context)
        case .giveCode(let code): try give(code, in: context)
        case .answerCode(let code): try answer(with: code, in: context)
        }
    }
}
