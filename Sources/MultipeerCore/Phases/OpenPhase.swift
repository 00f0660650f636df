import MultipeerCrypto
import MultipeerWire

/// The link is open (SPEC §15). Payload changes in place, so that nearly all frames leave the phase where it is.
struct OpenPhase: LinkPhase, ~Copyable {
    private let content: LinkPayload

    init(summary: LinkSummary, guest: GuestSession, hasLesserKey: Bool, in context: LinkContext) {
        let settings = Association.Settings(
            maximumMessage: context.maximumMessage, asksForMemory: context.configuration.asksForMemory,
            keepAlive: context.timeouts.keepAlive, fileWindow: context.configuration.fileWindow,
            numbers: hasLesserKey ? .even : .odd, digest: context.crypto.bulkDigest)
        content = LinkPayload(summary: summary, guest: guest, settings: settings, now: context.now)
    }

    var stage: LinkStage { .open }
    var payload: LinkPayload? { content }
    consuming func unchanged() -> Transition { .to(.open(self)) }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) -> Transition {
        try content.receive(frame, type: type, in: &context)
        return unchanged()
    }

    consuming func peerClosed(_ code: CloseCode) -> Ending { content.peerClosed(code) }

    /// An open link has no deadline but those of its association.
    consuming func timeout(in context: inout LinkContext) -> Transition { unchanged() }

    /// The app closes: at once, or as soon as all that is queued has gone out. A file under way is cancelled.
    consuming func close(in context: inout LinkContext) -> Transition {
        let hasQueued = content.hasQueued
        content.association.abandon(into: &context.effects)
        let draining = DrainingPhase(content, in: &context)
        return hasQueued ? draining.unchanged() : draining.drained()
    }

    consuming func close(_ code: CloseCode) -> Transition { content.close(code) }
}

/// The app has closed an open link, and what it queued before still goes out. It queues nothing more; what the peer sends
/// is still delivered.
struct DrainingPhase: LinkPhase, ~Copyable {
    private let content: LinkPayload

    init(_ content: LinkPayload, in context: inout LinkContext) {
        self.content = content
        // What went out before says nothing about now.
        content.hasProgressed = false
        context.setDeadline(after: context.timeouts.closing)
    }

    var stage: LinkStage { .draining }
    var payload: LinkPayload? { content }
    consuming func unchanged() -> Transition { .to(.draining(self)) }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) -> Transition {
        try content.receive(frame, type: type, in: &context)
        return unchanged()
    }

    consuming func peerClosed(_ code: CloseCode) -> Ending { content.peerClosed(code) }

    /// The queue stands still, for want of room or of credit: close without the rest. While it moves, however slowly, it
    /// has time.
    consuming func timeout(in context: inout LinkContext) -> Transition {
        guard content.hasProgressed else { return drained() }
        content.hasProgressed = false
        context.setDeadline(after: context.timeouts.closing)
        return unchanged()
    }

    /// The app has closed already.
    consuming func close(in context: inout LinkContext) -> Transition { unchanged() }

    consuming func close(_ code: CloseCode) -> Transition { content.close(code) }

    /// CLOSE is next.
    consuming func drained() -> Transition {
        .end(.finished(content, unsentMessages: content.association.outgoing.count))
    }
}

extension LinkPayload {
    /// How an open link ends when the peer closes it.
    fileprivate func peerClosed(_ code: CloseCode) -> Ending {
        code == .noError
            ? .closedByPeer(.finished(unsentMessages: association.outgoing.count))
            : .closedByPeer(.failed(LinkFailure(stage: .open, cause: .peerClosed(code))))
    }

    /// How an open link ends when the app closes it at once.
    fileprivate func close(_ code: CloseCode) -> Transition {
        .end(.closedByApp(.finished(unsentMessages: association.outgoing.count), code: code))
    }
}
