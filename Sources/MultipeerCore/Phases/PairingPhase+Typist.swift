import MultipeerCrypto
import MultipeerWire

/// The peer at which the code is typed, before CODE_ANSWER (SPEC §25.7).
struct BegunTypist: ~Copyable {
    private let peer: IdentifiedPeer
    private let initiator: CPaceInitiator
    /// Whether the peer's CODE_BEGIN has crossed, and is void.
    private var hasIgnoredCode = false
    /// Whether the peer's INVITE has crossed.
    private var hasIgnoredInvite = false

    /// Sends CODE_BEGIN.
    init(_ code: GivenCode, peer: IdentifiedPeer, in context: LinkContext) throws(LinkFailureCause) {
        let begin = CodeBegin(share: [], number: UInt64(code.code.number))
        do {
            initiator = try CPaceInitiator(
                password: try code.code.password(in: code.primitives.secrets),
                context: peer.pairingContext(of: code, as: .typist, in: context), associatedData: begin.associatedData,
                primitives: code.primitives, random: &context.random)
        } catch {
            throw .crypto(error)
        }
        self.peer = peer
        context.send(CodeBegin(share: initiator.message.share.rawBytes, number: begin.number))
    }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        if type == .codeAnswer, !hasIgnoredInvite { return try answered(by: frame, in: context) }
        if type == .codeBegin, !hasIgnoredCode, !hasIgnoredInvite { return try crossed(by: frame, in: context) }
        if type == .invite, !hasIgnoredInvite {
            // The peer closes the link as soon as it finds CODE_BEGIN (SPEC §25.7).
            _ = try peer.invitation(in: frame, context)
            hasIgnoredInvite = true
            return .to(.pairing(.begun(self)))
        }
        if type == .cancel, hasIgnoredInvite {
            return .end(.withdrawn(by: try frame.decode(Cancel.self), stage: .pairing))
        }
        throw frame.unexpected
    }

    /// The code is burned before the local peer shows that it knows it (R25.5-6).
    private consuming func answered(
        by frame: borrowing RawFrame, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        let answer = try CPaceMessage(share: try frame.decode(CodeAnswer.self).share, of: frame)
        let peer = peer
        let confirming: CPaceConfirming
        do {
            confirming = try initiator.receive(answer)
        } catch {
            throw .share(error)
        }
        context.effects.emit(.verification(.codeBurned(.typist)))
        context.send(CodeConfirm(confirmation: confirming.confirmation))
        return .to(.pairing(.confirming(ConfirmingTypist(peer: peer, confirming: confirming))))
    }

    /// Both typed: the attempt of the lesser key wins, and the other one is void (R25.7-2).
    private consuming func crossed(
        by frame: borrowing RawFrame, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        let own = context.configuration.identity.identityKey
        guard own < peer.proved.key else {
            context.effects.emit(.verification(.codeVoid))
            return .to(.pairing(try PairingPhase(asking: frame, of: peer, in: context)))
        }
        _ = try frame.decode(CodeBegin.self)
        hasIgnoredCode = true
        return .to(.pairing(.begun(self)))
    }
}

/// The same peer, once it has shown that it knows the code.
struct ConfirmingTypist: ~Copyable {
    let peer: IdentifiedPeer
    let confirming: CPaceConfirming

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        guard type == .codeConfirm else { throw frame.unexpected }
        let confirm = try frame.decode(CodeConfirm.self)
        let peer = peer
        do {
            try confirming.finish(confirm.confirmation)
        } catch {
            throw .confirmation(error)
        }
        return peer.verified(as: .typist, in: context)
    }
}
