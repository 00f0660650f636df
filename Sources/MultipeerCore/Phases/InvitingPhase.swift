import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

/// An INVITE that is on the wire.
struct SentInvitation: Sendable {
    let terms: SessionTerms
    let charter: Charter
    let kind: SessionKind
    /// When nobody has answered in time.
    let deadline: Instant
    /// The whole frame.
    let encoded: [UInt8]

    /// Sends INVITE. The invitation's parts were checked when the app asked.
    init(_ invitation: OutgoingInvitation, in context: LinkContext) {
        terms = invitation.terms
        kind = invitation.session.kind
        let key = context.configuration.identity.identityKey
        charter = invitation.session.makeCharter(founder: key, nonce: context.random.bytes(Charter.partLength))
        deadline = context.now.advanced(by: invitation.timeout)
        encoded = context.send(
            Invite(
                charter: charter, sessionKind: kind, preference: invitation.terms.encryption,
                identityKind: invitation.terms.identityKind, timeout: invitation.validTimeout ?? 1,
                context: invitation.context, chain: invitation.session.chain))
    }
}

/// The local peer invited, and waits for the answer (SPEC §8.2).
struct InvitingPhase: LinkPhase, ~Copyable {
    let peer: IdentifiedPeer
    let sent: SentInvitation
    /// Whether the peer's INVITE crossed, and is void: it comes once.
    private let hasIgnoredCrossing: Bool

    init(peer: IdentifiedPeer, sent: SentInvitation, in context: LinkContext) {
        self.peer = peer
        self.sent = sent
        hasIgnoredCrossing = false
        context.deadline = sent.deadline
    }

    private init(ignoringCrossing phase: consuming InvitingPhase) {
        peer = phase.peer
        sent = phase.sent
        hasIgnoredCrossing = true
    }

    var stage: LinkStage { .inviting }
    consuming func unchanged() -> Transition { .to(.inviting(self)) }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        if type == .accept { return try accepted(by: frame, in: context) }
        if type == .resume, context.role == .responder, !hasIgnoredCrossing {
            return try peer.answerResume(frame, in: context)
        }
        if type == .decline { throw declined(try frame.decode(Decline.self).reason) }
        if type == .invite, !hasIgnoredCrossing { return try crossed(by: frame, in: context) }
        if type == .cancel, hasIgnoredCrossing {
            return .end(.withdrawn(by: try frame.decode(Cancel.self), stage: .inviting))
        }
        // It crossed INVITE (SPEC §25.7), unless the peer's own one came before it (R25.7-1).
        if type == .codeBegin, !context.hasTriedCode, !hasIgnoredCrossing {
            _ = try frame.decode(CodeBegin.self)
            throw .verification(.codeUnavailable)
        }
        throw frame.unexpected
    }

    private consuming func accepted(
        by frame: borrowing RawFrame, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        let accept = try frame.decode(Accept.self)
        guard EncryptionPolicy.outcome(sent.terms.encryption, accept.preference) == accept.outcome else {
            throw .violation(.policyViolation)
        }
        context.effects.emit(.invitationAccepted(accept.outcome))
        let agreement = LinkAgreement(
            peer: peer, charter: sent.charter, kind: sent.kind, encryption: accept.outcome, inviter: context.role,
            peerKind: accept.identityKind,
            invite: sent.encoded, accept: [UInt8](copying: frame.encoded))
        return .to(.certificates(try CertificatePhase(agreement, showing: sent.terms.certificate, in: context)))
    }

    private func declined(_ reason: Decline.Reason) -> LinkFailureCause {
        switch reason {
        case .declined: .invitation(.declinedByPeer)
        case .busy: .invitation(.peerBusy)
        case .timeout: .invitation(.noAnswer)
        case .noSession: .invitation(.noSession)
        case .full: .invitation(.sessionFull)
        case .encryptionPolicy(let preference):
            .incompatible(.encryptionPolicy(local: sent.terms.encryption, remote: preference))
        }
    }

    /// Both invited. The peer whose INVITE is void answers as if it had not (R8.6-1, R8.6-4).
    private consuming func crossed(
        by frame: borrowing RawFrame, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        let invite = try peer.invitation(in: frame, context)
        let hashing = context.crypto.hashing
        let local = CrossingInvitation(
            to: SessionID(sent.charter, hashing: hashing), by: context.configuration.identity.identityKey)
        let remote = CrossingInvitation(to: SessionID(invite.charter, hashing: hashing), by: peer.proved.key)
        if local.wins(against: remote) { return .to(.inviting(InvitingPhase(ignoringCrossing: self))) }
        let encoded = [UInt8](copying: frame.encoded)
        return .to(.invited(InvitedPhase(peer: peer, invite: invite, encoded: encoded, in: context)))
    }

    /// Nobody answered.
    consuming func timeout(in context: LinkContext) -> Transition {
        withdraw(.timeout, end: .noAnswer, in: context)
    }

    /// The app takes the invitation back. The peer never hears of one that has not gone out.
    consuming func close(in context: LinkContext) -> Transition {
        if context.takeBackInvitation() { return close(.noError) }
        return withdraw(.cancelled, end: .withdrawn, in: context)
    }

    private consuming func withdraw(
        _ reason: Cancel.Reason, end: InvitationEnd, in context: LinkContext
    ) -> Transition {
        context.send(Cancel(reason))
        return .end(.invitationEnded(LinkFailure(stage: .inviting, cause: .invitation(end))))
    }
}
