public import MultipeerCertificates
public import MultipeerWire

/// What the app asks for, and how it answers. A ``RequestError`` changes nothing. What comes at or after the deadline is late, even
/// where the driver's timer has not fired yet (R18-2): the deadline acts first.
extension Link {
    // MARK: Invitations

    /// Invites the peer; as soon as it is identified, if it is not yet (SPEC §8.2).
    /// - Throws: ``RequestError/invalidInvitation``, ``RequestError/wrongStage(_:)``.
    public mutating func invite(_ invitation: OutgoingInvitation, at now: Instant) throws(RequestError) {
        guard invitation.validTimeout != nil else { throw .invalidInvitation }
        timeout(at: now)
        switch takePhase() {
        case .identified(let identified):
            phase = identified.invite(invitation, in: &context)
        case .info(let info) where context.role == .initiator && info.sent == nil:
            // SPEC §17: an initiator need not wait for the peer's name.
            phase = .info(info.invite(invitation, in: &context))
        case let other:
            phase = other
            let stage = phase.stage
            guard [.hello, .proof, .info].contains(stage), context.pendingInvitation == nil, !hasSentInvitation else {
                throw .wrongStage(stage)
            }
            context.pendingInvitation = invitation
        }
    }

    /// Takes the invitation back; the link ends.
    /// - Throws: ``RequestError/wrongStage(_:)``.
    public mutating func cancelInvitation(at now: Instant) throws(RequestError) {
        timeout(at: now)
        switch takePhase() {
        case .inviting(let inviting): phase = inviting.cancel(in: &context)
        case let other:
            phase = other
            throw .wrongStage(phase.stage)
        }
    }

    /// Accepts an invitation. Where the preferences cannot be reconciled the link ends with a typed failure.
    /// - Throws: ``RequestError/staleToken``.
    public mutating func accept(
        _ token: LinkToken, with terms: SessionTerms, at now: Instant
    ) throws(RequestError) {
        timeout(at: now)
        let invited = try takeInvited(token)
        do throws(LinkFailureCause) {
            phase = try invited.accept(terms, in: &context)
        } catch {
            phase = .closed
            fail(error, at: .invited)
        }
    }

    /// Declines an invitation; the link ends.
    /// - Throws: ``RequestError/staleToken``.
    public mutating func decline(
        _ token: LinkToken, _ reason: DeclineReason = .declined, at now: Instant
    ) throws(RequestError) {
        timeout(at: now)
        let invited = try takeInvited(token)
        phase = invited.decline(reason, in: &context)
    }

    // MARK: Certificates

    /// Gives the verdict on the peer. A late or a second one changes nothing (R10.5-1).
    /// - Throws: ``RequestError/staleToken``.
    public mutating func submitVerdict(_ verdict: Verdict, for token: LinkToken, at now: Instant) throws(RequestError) {
        timeout(at: now)
        switch takePhase() {
        case .certificates(let certificates) where certificates.awaits(token):
            do throws(LinkFailureCause) {
                phase = try certificates.apply(verdict, in: &context)
                settleAfterTransition()
            } catch {
                phase = .closed
                fail(error, at: .certificates)
            }
        case let other:
            phase = other
            throw .staleToken
        }
    }

    // MARK: Messages and files

    /// Bytes of messages that wait to be sent. Stop sending while it is high; it falls with ``transmit(into:)``.
    public var queuedByteCount: Int {
        switch phase {
        case .open(let open): open.session.queue.byteCount
        default: 0
        }
    }

    /// Queues a message.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/messageTooLong(maximum:)``.
    public mutating func send(_ message: [UInt8], at now: Instant) throws(RequestError) {
        try withSession(at: now) { (session, _) throws(RequestError) in
            let maximum = session.summary.peerMaximumMessage
            guard UInt64(message.count) <= maximum else { throw .messageTooLong(maximum: maximum) }
            session.queue.append(message)
        }
    }

    /// Offers a file. `name` has 1–255 bytes of UTF-8; `size` is in bytes.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/fileUnderWay``, ``RequestError/invalidFile``.
    public mutating func offerFile(name: String, size: UInt64, at now: Instant) throws(RequestError) -> FileID {
        try withSession(at: now) { (session, context) throws(RequestError) in
            try session.outgoing.offer(name: Array(name.utf8), size: size, in: &context)
        }
    }

    /// Supplies the bytes that ``OutgoingFileEvent/wanted(_:offset:maximum:)`` asked for.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``, ``RequestError/wrongChunkLength``.
    public mutating func supply(_ chunk: [UInt8], to file: FileID, at now: Instant) throws(RequestError) {
        try withSession(at: now) { (session, _) throws(RequestError) in try session.outgoing.supply(chunk, to: file) }
    }

    /// Ends the file that this side sends.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func cancelFile(_ file: FileID, reason: FileCancel.Reason = .cancelled, at now: Instant)
        throws(RequestError)
    {
        try withSession(at: now) { (session, context) throws(RequestError) in
            try session.outgoing.cancel(file, reason: reason, in: &context)
        }
    }

    /// Accepts the file that the peer offers.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func acceptFile(_ file: FileID, at now: Instant) throws(RequestError) {
        try withSession(at: now) { (session, context) throws(RequestError) in
            try session.incoming.accept(file, in: &context)
        }
    }

    /// Declines the file that the peer offers, or ends it.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func refuseFile(_ file: FileID, reason: FileCancel.Reason = .declined, at now: Instant)
        throws(RequestError)
    {
        try withSession(at: now) { (session, context) throws(RequestError) in
            try session.incoming.refuse(file, reason: reason, in: &context)
        }
    }

    /// Tells the peer that its file is stored, after ``IncomingFileEvent/complete(_:_:)``.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func confirmFile(_ file: FileID, at now: Instant) throws(RequestError) {
        try withSession(at: now) { (session, context) throws(RequestError) in
            try session.incoming.confirm(file, in: &context)
        }
    }

    // MARK: Closing

    /// Ends the link in good order: queued messages first, then CLOSE; a file under way is cancelled, an invitation
    /// withdrawn or declined. Closing twice changes nothing.
    public mutating func close(at now: Instant) {
        timeout(at: now)
        switch takePhase() {
        case .open(let open): phase = open.close(in: &context)
        case .inviting(let inviting): phase = inviting.cancel(in: &context)
        case .invited(let invited): phase = invited.decline(.declined, in: &context)
        case .closing(let closing): phase = .closing(closing)
        case .closed: phase = .closed
        case let other:
            phase = other
            abandon(.withdrawn, code: .noError)
        }
    }

    /// Ends the link at once with a code of SPEC §18 that says why, such as `shuttingDown` or `duplicateLink`. An open
    /// session is ``LinkEnd/finished(unsentMessages:)`` then; what is queued is not sent.
    public mutating func close(_ code: CloseCode, at now: Instant) {
        guard code != .noError else { return close(at: now) }
        timeout(at: now)
        if stage != .closing, stage != .closed {
            abandon(code == .duplicateLink ? .superseded : .withdrawn, code: code)
        }
    }

    // MARK: Helpers

    /// Ends a link that has no good end of its own, or at once.
    private mutating func abandon(_ reason: InvitationEnd, code: CloseCode) {
        let (stage, encryption) = (phase.stage, phase.payloadEncryption)
        let end: LinkEnd =
            switch phase {
            case .open(let open): .finished(unsentMessages: open.session.queue.count)
            default: .failed(LinkFailure(stage: stage, cause: .invitation(reason)))
            }
        context.effects.emit(.closed(end))
        context.deadline = nil
        guard channel != nil else {
            context.outbox = Outbox()
            phase = .closed
            return
        }
        phase = .closing(
            ClosingPhase(
                reporting: code, isPeerProved: stage != .hello && stage != .proof, payloadEncryption: encryption,
                in: &context))
    }

    private var hasSentInvitation: Bool {
        switch phase {
        case .info(let info): info.sent != nil
        default: false
        }
    }

    private mutating func takeInvited(_ token: LinkToken) throws(RequestError) -> InvitedPhase {
        switch takePhase() {
        case .invited(let invited) where invited.token == token: return invited
        case let other:
            phase = other
            throw .staleToken
        }
    }

    private mutating func withSession<Result>(
        at now: Instant, _ body: (Session, inout LinkContext) throws(RequestError) -> Result
    ) throws(RequestError) -> Result {
        timeout(at: now)
        switch phase {
        case .open(let open) where !open.session.isDraining: return try body(open.session, &context)
        default: throw .wrongStage(phase.stage)
        }
    }
}
