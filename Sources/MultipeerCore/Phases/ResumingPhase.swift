import MultipeerCrypto
import MultipeerWire

/// A RESUME that is on the wire.
struct SentResume {
    let association: ResumableAssociation
    let frame: Resume

    /// Sends RESUME. Every other link of the association ends by that (R13.9-4).
    init(
        _ association: ResumableAssociation, to peer: ProvedPeer, in context: LinkContext
    ) throws(LinkFailureCause) {
        self.association = association
        context.pendingResume = nil
        context.association = association
        let frame: Resume?
        do {
            frame = try association.makeResume(over: context, handshakeHash: peer.handshakeHash)
        } catch {
            throw .crypto(error)
        }
        // It has ended while the link was made.
        guard let frame else { throw .invitation(.withdrawn) }
        self.frame = frame
        context.send(frame)
    }
}

/// RESUME is sent, and its answer awaited (SPEC §13.9). The deadline of the handshake holds still.
struct ResumingPhase: LinkPhase, ~Copyable {
    let peer: IdentifiedPeer
    let sent: SentResume

    var stage: LinkStage { .resuming }
    consuming func unchanged() -> Transition { .to(.resuming(self)) }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        switch type {
        case .resumed: return try resumed(by: try frame.decode(Resumed.self), in: context)
        case .decline:
            _ = try frame.decode(Decline.self)
            // Whatever the reason, the peer does not continue it.
            context.associationEnd = .declined
            throw .invitation(.noSession)
        case .invite:
            // It crossed RESUME, and is void (R13.9-7).
            _ = try frame.decode(Invite.self)
            return unchanged()
        case .cancel:
            _ = try frame.decode(Cancel.self)
            return unchanged()
        default: throw frame.unexpected
        }
    }

    private consuming func resumed(by frame: Resumed, in context: LinkContext) throws(LinkFailureCause) -> Transition {
        let association = sent.association
        let isValid: Bool
        do {
            isValid = try association.isValid(
                frame.proof, of: frame.proved, by: context.role.peer, handshakeHash: peer.proved.handshakeHash)
        } catch {
            throw .crypto(error)
        }
        guard isValid else { throw .violation(.proofInvalid) }
        try association.judge(received: frame.received, files: frame.files)
        association.noteResumed(after: sent.frame)
        return try peer.open(association, after: frame.received, files: frame.files, shows: nil, in: context)
    }
}

extension IdentifiedPeer {
    /// RESUME of the peer came (R13.9-5, R13.9-7).
    func answerResume(
        _ frame: borrowing RawFrame, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        let resume = try frame.decode(Resume.self)
        context.hasSeenResume = true
        guard let association = context.book?.association(resume.association, with: proved.key),
            try isValid(resume, for: association, in: context)
        else { return declineResume(in: context) }
        switch association.judge(resume) {
        case .newest: break
        case .malformed: throw .malformed(WireError(.valueOutOfRange, in: .epoch))
        case .outdated: return .duplicate
        }
        if association.terms.hasLesserKey, association.awaitsAnswer { return .duplicate }
        try association.judge(received: resume.received, files: resume.files)
        let resumed: Resumed?
        do {
            resumed = try association.makeResumed(over: context, handshakeHash: proved.handshakeHash)
        } catch {
            throw .crypto(error)
        }
        guard let resumed else { return declineResume(in: context) }
        context.association = association
        context.takeBackInvitation()
        context.send(resumed)
        let shown = association.noteAnswer(to: resume)
        return try open(association, after: resume.received, files: resume.files, shows: shown, in: context)
    }

    private func isValid(
        _ resume: Resume, for association: ResumableAssociation, in context: LinkContext
    ) throws(LinkFailureCause) -> Bool {
        do {
            return try association.isValid(
                resume.proof, of: resume.proved, by: context.role.peer, handshakeHash: proved.handshakeHash)
        } catch {
            throw .crypto(error)
        }
    }

    /// The same answer for an association that is not known, and for a peer that does not know its secret.
    private func declineResume(in context: LinkContext) -> Transition {
        context.send(Decline(.noSession))
        return .end(.invitationEnded(LinkFailure(stage: .identified, cause: .invitation(.noSession))))
    }

    /// RESUMED opens the link, on both sides (R13.9-6).
    fileprivate func open(
        _ association: ResumableAssociation, after received: UInt64, files: [FilePosition], shows epoch: UInt64?,
        in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        // It has ended while RESUMED was under way.
        guard let carried = association.take() else { throw .invitation(.withdrawn) }
        context.deadline = nil
        (context.hasOpened, context.hasResumed) = (true, true)
        association.session = association.session.resumed()
        if case .member(let membership) = association.session { context.membership = membership }
        let summary = association.terms.summary.over(self)
        context.effects.emit(.opened(summary))
        let resumption = OpenLink.Resumption(
            summary: summary, received: received, files: files, unshownEpoch: epoch)
        return .to(
            .open(
                OpenPhase(
                    OpenLink(
                        carried, of: association, resumption,
                        settings: context.associationSettings(
                            hasLesserKey: association.terms.hasLesserKey, mayResume: true),
                        in: context))))
    }
}

extension LinkSummary {
    /// What holds on a link that continues the association: its keys are new, and the peer's name may be.
    fileprivate func over(_ peer: IdentifiedPeer) -> LinkSummary {
        LinkSummary(
            peer: peer.id, trust: trust, encryption: encryption, suite: peer.proved.suite, session: session,
            charter: charter, handshakeHash: peer.proved.handshakeHash, peerMaximumMessage: peerMaximumMessage)
    }
}

extension Transition {
    /// The link is closed for another one (R13.9-5, R13.9-7).
    fileprivate static var duplicate: Transition {
        .end(
            .closedByApp(
                .failed(LinkFailure(stage: .identified, cause: .invitation(.superseded))), code: .duplicateLink))
    }
}
