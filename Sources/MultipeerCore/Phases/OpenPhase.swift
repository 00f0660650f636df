import MultipeerCrypto
import MultipeerWire

/// The link is open (SPEC §15). Payload changes in place, so that nearly all frames leave the phase where it is.
struct OpenPhase: LinkPhase, ~Copyable {
    private let content: OpenLink

    /// READY has gone both ways.
    init(
        summary: LinkSummary, session: SessionPart, hasLesserKey: Bool, trustEnd: Instant?, in context: LinkContext
    ) {
        let terms = ResumableAssociation.Terms(summary: summary, trustEnd: trustEnd, hasLesserKey: hasLesserKey)
        let resumable = context.makeResumable(terms, session: session)
        content = OpenLink(
            summary: summary, session: session,
            settings: context.associationSettings(hasLesserKey: hasLesserKey, mayResume: resumable != nil),
            trustEnd: trustEnd, now: context.now)
        content.resumable = resumable
        resumable?.begin(on: content)
    }

    /// RESUMED has opened the link.
    init(_ content: OpenLink) { self.content = content }

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
        // An app that has closed does not reconnect (R13.9-3).
        content.resumable?.forget()
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

extension LinkContext {
    /// What an association on this link needs to know.
    func associationSettings(hasLesserKey: Bool, mayResume: Bool) -> Association.Settings {
        Association.Settings(
            maximumMessage: maximumMessage, asksForMemory: configuration.asksForMemory,
            keepAlive: timeouts.keepAlive, messageWindow: configuration.messageWindow,
            fileWindow: configuration.fileWindow, numbers: hasLesserKey ? .even : .odd, digest: crypto.bulkDigest,
            mayResume: mayResume)
    }

    /// What makes the association of a link that has opened independent of it; nil if it ends with the link.
    fileprivate func makeResumable(
        _ terms: ResumableAssociation.Terms, session: SessionPart
    ) -> ResumableAssociation? {
        // Without guarded memory for its secret the association is as good as one without grace.
        guard let book, let exports, let secret = try? ResumeSecret(of: exports, hashing: crypto.hashing) else {
            return nil
        }
        let made = ResumableAssociation(terms, secret: secret, session: session, in: book, over: self)
        association = made
        return made
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
