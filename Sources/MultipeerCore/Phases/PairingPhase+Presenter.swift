import MultipeerCrypto
import MultipeerWire

/// The peer that shows codes, before it knows whether it answers with one (SPEC §25.7).
struct AskedPresenter: ~Copyable {
    /// What came after CODE_BEGIN before the answer went out. It is judged after the answer, as if that had gone at
    /// once.
    private enum Follower {
        /// CODE_CONFIRM, which cannot be right: it was made without the local share.
        case confirmation(LinkFailureCause)
        /// Anything else.
        case other(LinkFailureCause)
    }

    let token: LinkToken
    private let peer: IdentifiedPeer
    private let number: Int
    private let message: CPaceMessage
    private var follower: Follower?

    /// Asks for the code.
    init(
        _ frame: borrowing RawFrame, peer: IdentifiedPeer, in context: LinkContext
    ) throws(LinkFailureCause) {
        let begin = try frame.decode(CodeBegin.self)
        message = try CPaceMessage(share: begin.share, of: frame)
        (self.peer, number) = (peer, Int(begin.number))
        token = context.makeToken()
        context.effects.emit(.verification(.codeWanted(token, number: number)))
    }

    consuming func receive(_ frame: borrowing RawFrame, type: FrameType) -> Transition {
        if follower == nil { follower = Self.follower(frame, type) }
        return .to(.pairing(.asked(self)))
    }

    private static func follower(_ frame: borrowing RawFrame, _ type: FrameType) -> Follower {
        guard type == .codeConfirm else { return .other(frame.unexpected) }
        do throws(LinkFailureCause) {
            _ = try frame.decode(CodeConfirm.self)
            return .confirmation(.verification(.codeWrong))
        } catch {
            return .confirmation(error)
        }
    }

    /// Sends CODE_ANSWER, or says that there is no code (R25.6-6).
    consuming func answer(
        with code: GivenCode?, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        guard let code, code.code.number == number, let presented = code.presented, !presented.isBurned else {
            throw .verification(.codeUnavailable)
        }
        let responder: CPaceResponder
        do {
            responder = try CPaceResponder(
                answering: message, password: try code.code.password(in: code.primitives.secrets),
                context: peer.pairingContext(of: code, as: .presenter, in: context),
                associatedData: CodeAnswer(share: []).associatedData, primitives: code.primitives,
                random: &context.random)
        } catch {
            throw .share(error)
        }
        context.send(CodeAnswer(share: responder.message.share.rawBytes))
        switch follower {
        case .confirmation(let cause):
            guard presented.takeGuess() else { throw .verification(.codeUnavailable) }
            context.effects.emit(.verification(.codeBurned(.presenter)))
            throw cause
        case .other(let cause): throw cause
        case nil: return .to(.pairing(.answered(AnsweredPresenter(peer: peer, responder: responder, code: presented))))
        }
    }
}

/// The same peer, once it has answered.
struct AnsweredPresenter: ~Copyable {
    let peer: IdentifiedPeer
    let responder: CPaceResponder
    let code: PresentedCode

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        guard type == .codeConfirm else { throw frame.unexpected }
        // Whatever it says: a guess has been made, and there is one for all links (R25.5-5).
        guard code.takeGuess() else { throw .verification(.codeUnavailable) }
        context.effects.emit(.verification(.codeBurned(.presenter)))
        let confirm = try frame.decode(CodeConfirm.self)
        let peer = peer
        let confirmation: [UInt8]
        do {
            confirmation = try responder.confirm(confirm.confirmation)
        } catch {
            throw .confirmation(error)
        }
        context.send(CodeConfirm(confirmation: confirmation))
        return peer.verified(as: .presenter, in: context)
    }
}
