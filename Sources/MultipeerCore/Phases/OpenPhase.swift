import MultipeerCrypto
import MultipeerWire

/// The link is open (SPEC §15). Payload changes in place, so that nearly all frames leave the phase where it is.
struct OpenPhase: LinkPhase, ~Copyable {
    private let content: OpenLink

    init(
        summary: LinkSummary, session: SessionPart, hasLesserKey: Bool, trustEnd: Instant?, in context: LinkContext
    ) {
        let settings = Association.Settings(
            maximumMessage: context.maximumMessage, asksForMemory: context.configuration.asksForMemory,
            keepAlive: context.timeouts.keepAlive, messageWindow: context.configuration.messageWindow,
            fileWindow: context.configuration.fileWindow,
            numbers: hasLesserKey ? .even : .odd, digest: context.crypto.bulkDigest, mayResume: context.mayResume)
        content = OpenLink(
            summary: summary, session: session, settings: settings, trustEnd: trustEnd, now: context.now)
    }

    var stage: LinkStage { .open }
    var payload: OpenLink? { content }
    consuming func unchanged() -> Transition { .to(.open(self)) }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        try content.receive(frame, type: type, in: context)
        return unchanged()
    }

    consuming func peerClosed(_ code: CloseCode) -> Ending { content.peerClosed(code) }

    /// An open link has no deadline but those of its association.
    consuming func timeout(in context: LinkContext) -> Transition { unchanged() }

    /// The app closes: at once, or as soon as all messages that are queued have gone out.
    consuming func close(in context: LinkContext) -> Transition {
        let hasQueued = content.hasQueued
        let draining = DrainingPhase(content, in: context)
        return hasQueued ? draining.unchanged() : draining.drained(in: context)
    }

    consuming func close(_ code: CloseCode) -> Transition { content.close(code) }
}

/// The app has closed an open link, and the messages that it queued before still go out. It begins nothing more; in everything
/// else the link is open, both ways (SPEC §17).
struct DrainingPhase: LinkPhase, ~Copyable {
    private let content: OpenLink

    init(_ content: OpenLink, in context: LinkContext) {
        self.content = content
        content.drainLimit = context.now.advanced(by: context.timeouts.closing * 12)
        context.setDeadline(after: context.timeouts.closing)
    }

    var stage: LinkStage { .draining }
    var payload: OpenLink? { content }
    consuming func unchanged() -> Transition { .to(.draining(self)) }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        try content.receive(frame, type: type, in: context)
        return unchanged()
    }

    consuming func peerClosed(_ code: CloseCode) -> Ending { content.peerClosed(code) }

    /// No byte of a message could be sent for so long, or all of it lasts too long: close without the rest.
    consuming func timeout(in context: LinkContext) -> Transition { drained(in: context) }

    /// The app has closed already.
    consuming func close(in context: LinkContext) -> Transition { unchanged() }

    consuming func close(_ code: CloseCode) -> Transition { content.close(code) }

    /// CLOSE is next. What has not ended of files and streams is given up first (R16.1-5).
    consuming func drained(in context: LinkContext) -> Transition {
        content.association.abandon(into: &context.effects)
        return .end(.finished(content, unsentMessages: content.association.outgoing.count))
    }
}

extension OpenLink {
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
