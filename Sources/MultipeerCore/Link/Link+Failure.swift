import MultipeerWire

/// How a link ends because of an error.
extension Link {
    /// Ends the link because of `cause`; the peer is told what it may know (SPEC §16.3).
    mutating func fail(_ cause: LinkFailureCause) {
        fail(cause, at: phase.stage, payloadEncryption: phase.payloadEncryption)
    }

    /// As above, where the phase that failed is consumed.
    mutating func fail(
        _ cause: LinkFailureCause, at stage: LinkStage, payloadEncryption: EncryptionOutcome? = nil
    ) {
        let failure = LinkFailure(stage: stage, cause: cause)
        let isProved = stage != .hello && stage != .proof
        switch takePhase() {
        case .closing(let closing) where closing.hasToldError:
            phase = .closing(closing)
            return
        case .closing(let closing): closing.abandon(cause, in: &context)
        case let other: phase = other
        }
        context.deadline = nil
        context.effects.emit(.closed(.failed(failure)))
        if stage != .closing, stage != .closed, channel != nil, let code = failure.closeCode {
            phase = .closing(
                ClosingPhase(
                    reporting: code, isPeerProved: isProved, payloadEncryption: payloadEncryption, in: &context))
        } else {
            // An initiator whose handshake failed sends nothing more (R9.3-1, R9.4-1).
            if channel == nil, context.role == .initiator { context.outbox = Outbox() }
            phase = .closed
        }
    }
}
