import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

/// A one-time code is tried (SPEC §25.7). Each case owns the secrets of its step.
enum PairingPhase: LinkPhase, ~Copyable {
    /// The typist has sent CODE_BEGIN.
    case begun(BegunTypist)
    /// The typist has sent CODE_CONFIRM.
    case confirming(ConfirmingTypist)
    /// CODE_BEGIN came, and the owner of the code has the word.
    case asked(AskedPresenter)
    /// The presenter has sent CODE_ANSWER.
    case answered(AnsweredPresenter)

    /// How long an attempt has, from CODE_BEGIN (R25.6-8).
    private static var duration: Duration { .seconds(10) }

    /// The app gives a code: sends CODE_BEGIN.
    init(
        typing code: GivenCode, of peer: IdentifiedPeer, in context: LinkContext
    ) throws(LinkFailureCause) {
        context.hasTriedCode = true
        context.setDeadline(after: Self.duration)
        self = .begun(try BegunTypist(code, peer: peer, in: context))
    }

    /// CODE_BEGIN came: asks for the code.
    init(
        asking frame: borrowing RawFrame, of peer: IdentifiedPeer, in context: LinkContext
    ) throws(LinkFailureCause) {
        let asked = try AskedPresenter(frame, peer: peer, in: context)
        context.hasTriedCode = true
        context.setDeadline(after: Self.duration)
        self = .asked(asked)
    }

    var stage: LinkStage { .pairing }
    var readinessToInvite: ReadinessToInvite { .oncePaired }
    consuming func unchanged() -> Transition { .to(.pairing(self)) }

    var openQuestion: LinkQuestion? {
        switch self {
        case .begun: nil
        case .confirming: nil
        case .asked(let presenter): .code(presenter.token)
        case .answered: nil
        }
    }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        switch consume self {
        case .begun(let typist): try typist.receive(frame, type: type, in: context)
        case .confirming(let typist): try typist.receive(frame, type: type, in: context)
        case .asked(let presenter): presenter.receive(frame, type: type)
        case .answered(let presenter): try presenter.receive(frame, type: type, in: context)
        }
    }

    /// The caller has checked that the question is open.
    consuming func answer(
        with code: GivenCode?, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        switch consume self {
        case .begun(let typist): .to(.pairing(.begun(typist)))
        case .confirming(let typist): .to(.pairing(.confirming(typist)))
        case .asked(let presenter): try presenter.answer(with: code, in: context)
        case .answered(let presenter): .to(.pairing(.answered(presenter)))
        }
    }
}

extension IdentifiedPeer {
    /// The code was right: the link is in *identified* as before, with the whole deadline of that state (SPEC §25.6).
    func verified(as role: CodeRole, in context: LinkContext) -> Transition {
        context.verification = .oneTimeCode
        context.effects.emit(.verification(.codeVerified(role)))
        return awaitInvitation(in: context)
    }

    /// What CPace binds the attempt to (SPEC §25.5).
    func pairingContext(of code: GivenCode, as role: CodeRole, in context: LinkContext) -> CPaceContext {
        let own = context.configuration.identity.identityKey
        return CPaceContext(
            sessionIdentifier: code.sessionIdentifier, typist: role == .typist ? own : proved.key,
            presenter: role == .typist ? proved.key : own)
    }
}

extension CPaceMessage {
    /// A share, and everything after it in its frame (SPEC §25.5).
    init(share: [UInt8], of frame: borrowing RawFrame) throws(LinkFailureCause) {
        do {
            self.init(
                share: try GroupElement(rawBytes: share),
                associatedData: [UInt8](copying: frame.payload.extracting(droppingFirst: GroupElement.length)))
        } catch {
            throw .share(error)
        }
    }
}

extension LinkFailureCause {
    /// Sorts a failure of a computation with the peer's share (R25.5-2).
    static func share(_ failure: CryptoFailure) -> LinkFailureCause {
        failure == .malformedKey ? .malformed(WireError(.valueOutOfRange, in: .share)) : .crypto(failure)
    }

    /// Sorts a failure of checking the peer's confirmation (R25.5-3).
    static func confirmation(_ failure: CryptoFailure) -> LinkFailureCause {
        failure == .authenticationFailed ? .verification(.codeWrong) : .crypto(failure)
    }
}
