import MultipeerCrypto
import MultipeerWire

/// The link whose keys are compared, and what that is computed with.
struct ComparedLink {
    let strings: ShortStringContext
    let primitives: PairingPrimitives
}

/// The exchange that short strings come of: the table of SPEC §25.6. It runs beside the phases, and changes none of
/// them.
///
/// A class, because the channel that holds it is copied from state to state. It ends with the channel.
final class ShortStringExchange {
    /// How far the exchange has come. Each stage has the secrets that are legal in it.
    private enum Stage: ~Copyable {
        /// Nobody has begun.
        case idle
        /// The responder's person wants to compare, and STRING_ASK is sent.
        case asking
        /// The initiator's STRING_COMMIT is sent.
        case committed(ShortStringInitiator)
        /// STRING_COMMIT came, and the responder's own person has not said that it wants to.
        case commitmentCame(StringCommit)
        /// The responder's STRING_NONCE is sent.
        case answered(ShortStringResponder)
        /// Both peers have the string.
        case done
    }

    private var stage = Stage.idle
    /// Whether STRING_ASK came: it comes once.
    private var hasBeenAsked = false

    /// Whether the local person may still say that it wants to compare.
    var mayBegin: Bool {
        switch stage {
        case .idle: true
        case .asking: false
        case .committed: false
        case .commitmentCame: true
        case .answered: false
        case .done: false
        }
    }

    /// The link has ended.
    func destroy() { stage = .done }

    // MARK: The local person

    /// The local person wants to compare. The caller has checked that it may.
    func begin(over link: ComparedLink, in context: LinkContext) throws(LinkFailureCause) {
        switch take() {
        case .idle: try begin(as: context.role, over: link, in: context)
        case .commitmentCame(let commit): try answer(commit, over: link, in: context)
        case .asking: stage = .asking
        case .committed(let initiator): stage = .committed(initiator)
        case .answered(let responder): stage = .answered(responder)
        case .done: stage = .done
        }
    }

    private func begin(
        as role: LinkRole, over link: ComparedLink, in context: LinkContext
    ) throws(LinkFailureCause) {
        switch role {
        case .initiator:
            let initiator: ShortStringInitiator
            do {
                initiator = try ShortStringInitiator(
                    context: link.strings, primitives: link.primitives, random: &context.random)
            } catch {
                throw .crypto(error)
            }
            context.send(StringCommit(commitment: initiator.commitment))
            stage = .committed(initiator)
        case .responder:
            context.send(StringAsk())
            stage = .asking
        }
    }

    // MARK: The peer

    /// Takes a frame of the exchange. What the table does not list is `unexpected_frame` (R25.6-3), and what throws has ended
    /// the link.
    func receive(
        _ frame: borrowing RawFrame, type: FrameType, over link: ComparedLink, in context: LinkContext
    ) throws(LinkFailureCause) {
        switch take() {
        case .idle:
            if context.role == .initiator { return try asked(by: frame, type, in: context) }
            guard type == .stringCommit else { throw frame.unexpected }
            stage = .commitmentCame(try frame.decode(StringCommit.self))
            context.effects.emit(.verification(.comparisonWanted))
        case .asking:
            guard type == .stringCommit else { throw frame.unexpected }
            try answer(try frame.decode(StringCommit.self), over: link, in: context)
        case .committed(let initiator):
            guard type == .stringNonce else {
                try crossed(by: frame, type)
                stage = .committed(initiator)
                return
            }
            reveal(try initiator.nonceCame(try frame.decode(StringNonce.self)), in: context)
        case .answered(let responder):
            guard type == .stringReveal else { throw frame.unexpected }
            let string = try responder.revealCame(try frame.decode(StringReveal.self))
            context.effects.emit(.verification(.shortString(string)))
        case .commitmentCame: throw frame.unexpected
        case .done: throw frame.unexpected
        }
    }

    /// The responder's person wants to compare.
    private func asked(
        by frame: borrowing RawFrame, _ type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) {
        try crossed(by: frame, type)
        stage = .idle
        context.effects.emit(.verification(.comparisonWanted))
    }

    /// STRING_ASK, once. After STRING_COMMIT it says nothing new.
    private func crossed(by frame: borrowing RawFrame, _ type: FrameType) throws(LinkFailureCause) {
        guard type == .stringAsk, !hasBeenAsked else { throw frame.unexpected }
        _ = try frame.decode(StringAsk.self)
        hasBeenAsked = true
    }

    /// Both nonces are known: the initiator shows its own at once (R25.6-5).
    private func reveal(_ revealed: ShortStringInitiator.Revealed, in context: LinkContext) {
        context.send(StringReveal(nonce: revealed.nonce))
        context.effects.emit(.verification(.shortString(revealed.string)))
    }

    /// Both persons want to compare, and the initiator is bound: shows the responder's nonce (R25.6-4).
    private func answer(
        _ commit: StringCommit, over link: ComparedLink, in context: LinkContext
    ) throws(LinkFailureCause) {
        let responder: ShortStringResponder
        do {
            responder = try ShortStringResponder(
                answering: commit.commitment, context: link.strings, primitives: link.primitives,
                random: &context.random)
        } catch {
            throw .crypto(error)
        }
        context.send(StringNonce(nonce: responder.nonce))
        stage = .answered(responder)
    }

    /// The stage; none is left until the caller puts one back. What throws has ended the link.
    private func take() -> Stage {
        var taken = Stage.done
        swap(&taken, &stage)
        return taken
    }
}

extension ShortStringInitiator {
    fileprivate consuming func nonceCame(_ frame: StringNonce) throws(LinkFailureCause) -> Revealed {
        do {
            return try reveal(to: frame.nonce)
        } catch {
            throw .crypto(error)
        }
    }
}

extension ShortStringResponder {
    /// R25.3-2
    fileprivate consuming func revealCame(
        _ frame: StringReveal
    ) throws(LinkFailureCause) -> ShortAuthenticationString {
        do {
            return try receive(frame.nonce)
        } catch {
            throw error == .authenticationFailed ? .violation(.commitmentInvalid) : .crypto(error)
        }
    }
}
