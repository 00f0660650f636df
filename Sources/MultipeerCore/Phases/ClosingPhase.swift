import MultipeerCrypto
import MultipeerWire

/// CLOSE is sent; the peer's is awaited (SPEC §16).
struct ClosingPhase: LinkPhase, ~Copyable {
    /// What the app hears when the peer's CLOSE comes; nil when it has heard it already.
    private let pendingEnd: LinkEnd?
    /// The payload that is still delivered (R16.1-3).
    private let delivered: OpenLink?
    let isPeerProved: Bool
    /// Whether the local peer told the remote peer of an error: whatever the remote peer says but CLOSE is ignored
    /// then, and not judged, lest closing at once destroys the CLOSE that is on the way (SPEC §16.3).
    private let hasToldError: Bool
    /// How payload travels on a link that was open: what is on the way still comes so.
    let payloadEncryption: EncryptionOutcome?
    /// When it ends, however much still arrives.
    private let limit: Instant

    /// Sends CLOSE.
    init(_ ending: Ending, code: CloseCode, at position: LinkPosition, in context: LinkContext) {
        pendingEnd = ending.waitsForPeer ? ending.end : nil
        delivered = ending.delivering
        // CLOSE is the last frame: no CREDIT follows it.
        delivered?.association.isClosing = true
        isPeerProved = position.isPeerProved
        // Why an invitation ended is no error of the peer's: the app still waits for the peer's answer.
        hasToldError = !ending.waitsForPeer && code != .noError
        payloadEncryption = position.payloadEncryption
        context.send(Close(code: code))
        context.setDeadline(after: context.timeouts.closing)
        limit = context.now.advanced(by: context.timeouts.closing * 12)
    }

    var stage: LinkStage { .closing }
    var deliversWhileClosing: Bool { delivered != nil }
    var carried: OpenLink? { delivered }
    consuming func unchanged() -> Transition { .to(.closing(self)) }

    /// The peer is still busy: wait on, but not for ever (SPEC §19).
    consuming func recordCame(in context: LinkContext) -> Transition {
        context.deadline = min(limit, context.now.advanced(by: context.timeouts.closing))
        return unchanged()
    }

    /// Delivers messages and takes ACK and FILE_DONE; everything else crossed CLOSE and is ignored (R16.1-3).
    consuming func receive(_ frame: borrowing RawFrame, type: FrameType, in context: LinkContext) -> Transition {
        guard let delivered else { return unchanged() }
        do throws(LinkFailureCause) {
            switch type {
            case .message, .messagePart, .ack: try delivered.receive(frame, type: type, in: context)
            case .fileDone:
                try delivered.association.receiveLate(try frame.decode(FileDone.self), into: &context.effects)
            default: break
            }
            return unchanged()
        } catch {
            return fail(error)
        }
    }

    /// The peer's CLOSE came: the end is a good one, unless the peer's code says that it found an error.
    consuming func peerClosed(_ code: CloseCode) -> Ending {
        .settled(code == .noError ? pendingEnd : end(because: .peerClosed(code)))
    }

    consuming func streamEnded() -> Ending { .settled(end(because: .truncated)) }

    consuming func timeout(in context: LinkContext) -> Transition {
        .end(.settled(end(because: .timedOut)))
    }

    /// Something went wrong before the peer's CLOSE.
    consuming func fail(_ cause: LinkFailureCause) -> Transition {
        hasToldError ? unchanged() : .end(.settled(end(because: cause)))
    }

    /// CLOSE is sent once.
    consuming func close(in context: LinkContext) -> Transition { unchanged() }
    consuming func close(_ code: CloseCode) -> Transition { unchanged() }

    /// What the app hears when the peer's CLOSE does not come, or says that it found an error. Why an invitation ended
    /// stays the reason.
    private func end(because cause: LinkFailureCause) -> LinkEnd? {
        guard let pendingEnd else { return nil }
        if case .finished = pendingEnd { return .failed(LinkFailure(stage: .closing, cause: cause)) }
        return pendingEnd
    }
}
