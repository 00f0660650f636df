import MultipeerCrypto
import MultipeerWire

/// CLOSE is sent; the peer's is awaited (SPEC §16).
struct ClosingPhase: ~Copyable {
    /// What the app is told when the peer's CLOSE comes; nil when it was told already.
    private let end: LinkEnd?
    /// The session whose payload is still delivered (R16.1-3).
    private let session: Session?
    let isPeerProved: Bool
    /// Whether this side told the peer of an error: whatever the peer says but CLOSE is ignored then, and not judged, lest
    /// closing at once destroys the CLOSE that is on the way (SPEC §16.3).
    let hasToldError: Bool
    /// How payload travels on a link that was open: what is on the way still comes so.
    let payloadEncryption: EncryptionOutcome?
    /// When it ends, however much still arrives.
    private let limit: Instant

    /// Closes a session that the app is done with.
    init(closing open: consuming OpenPhase, in context: inout LinkContext) {
        let session = open.session
        end = .finished(unsentMessages: session.queue.count)
        session.queue.removeAll()
        payloadEncryption = session.summary.encryption
        self.session = session
        isPeerProved = true
        hasToldError = false
        limit = Self.begin(.noError, in: &context)
    }

    /// Ends an invitation, or a link that never had a session, in good order.
    init(failing failure: LinkFailure, in context: inout LinkContext) {
        end = .failed(failure)
        session = nil
        payloadEncryption = nil
        isPeerProved = true
        hasToldError = false
        limit = Self.begin(failure.closeCode ?? .noError, in: &context)
    }

    /// The inviter took its invitation back.
    init(withdrawnBy cancel: Cancel, stage: LinkStage, in context: inout LinkContext) {
        let end: InvitationEnd =
            switch cancel {
            case .cancelled: .withdrawnByPeer
            case .timeout: .noAnswer
            }
        self.init(failing: LinkFailure(stage: stage, cause: .invitation(end)), in: &context)
    }

    /// Tells the peer of an error of which the app has been told.
    init(
        reporting code: CloseCode, isPeerProved: Bool, payloadEncryption: EncryptionOutcome?,
        in context: inout LinkContext
    ) {
        end = nil
        session = nil
        self.payloadEncryption = payloadEncryption
        self.isPeerProved = isPeerProved
        hasToldError = code != .noError
        limit = Self.begin(code, in: &context)
    }

    private static func begin(_ code: CloseCode, in context: inout LinkContext) -> Instant {
        context.send(Close(code: code))
        context.setDeadline(after: context.timeouts.closing)
        return context.now.advanced(by: context.timeouts.closing * 12)
    }

    /// Whether the app closed a session whose payload is still delivered.
    var isDelivering: Bool { session != nil }

    /// The peer is still busy: wait on, but not for ever (SPEC §19).
    func extendDeadline(in context: inout LinkContext) {
        context.deadline = min(limit, context.now.advanced(by: context.timeouts.closing))
    }

    /// Delivers payload; everything else crossed CLOSE and is ignored.
    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) -> Phase {
        switch type {
        case .message, .messagePart: try session?.receive(frame, type: type, in: &context)
        default: break
        }
        return .closing(self)
    }

    /// The peer's CLOSE came: the end is a good one, unless the peer's code says that it found an error.
    consuming func finish(_ code: CloseCode, in context: inout LinkContext) {
        if code == .noError {
            if let end { context.effects.emit(.closed(end)) }
        } else {
            abandon(.peerClosed(code), in: &context)
        }
    }

    /// The stream ended, or the deadline passed, without the peer's CLOSE, or something went wrong before it. Why an
    /// invitation ended stays the reason.
    consuming func abandon(_ cause: LinkFailureCause, in context: inout LinkContext) {
        guard let end else { return }
        if case .finished = end {
            context.effects.emit(.closed(.failed(LinkFailure(stage: .closing, cause: cause))))
        } else {
            context.effects.emit(.closed(end))
        }
    }

    consuming func timeout(in context: inout LinkContext) -> Phase {
        abandon(.timedOut, in: &context)
        return .closed
    }
}
