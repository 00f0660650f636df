import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

/// The peer invited; the app has the word (SPEC §8.3, §8.4).
struct InvitedPhase: LinkPhase, ~Copyable {
    let answer: InvitationAnswer
    let token: LinkToken

    init(peer: IdentifiedPeer, invite: Invite, encoded: [UInt8], in context: LinkContext) {
        answer = InvitationAnswer(peer: peer, invite: invite, encoded: encoded)
        token = context.makeToken()
        context.setDeadline(after: .milliseconds(invite.timeout))
        context.effects.emit(.invited(token, ReceivedInvitation(invite, hashing: context.crypto.hashing)))
    }

    var stage: LinkStage { .invited }
    var openQuestion: LinkQuestion? { .invitation(token) }
    consuming func unchanged() -> Transition { .to(.invited(self)) }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        guard type == .cancel else { throw frame.unexpected }
        return .end(.withdrawn(by: try frame.decode(Cancel.self), stage: .invited))
    }

    consuming func accept(
        _ terms: SessionTerms, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        try answer.accept(terms, in: context)
    }

    consuming func decline(_ reason: DeclineReason, in context: LinkContext) -> Transition {
        switch reason {
        case .declined: answer.decline(.declined, .invitation(.declined), in: context)
        case .busy: answer.decline(.busy, .invitation(.declined), in: context)
        case .noAnswer: answer.decline(.timeout, .invitation(.noAnswer), in: context)
        case .noSession: answer.decline(.noSession, .invitation(.noSession), in: context)
        case .sessionFull: answer.decline(.full, .invitation(.sessionFull), in: context)
        case .encryptionPolicy(let own): answer.refuse(own, in: context)
        }
    }

    /// One's own INVITE, which the peer's has made void, is never sent if it still waits (SPEC §17).
    consuming func close(in context: LinkContext) -> Transition {
        context.takeBackInvitation()
        return decline(.declined, in: context)
    }

    consuming func timeout(in context: LinkContext) -> Transition {
        answer.decline(.timeout, .invitation(.noAnswer), in: context)
    }
}

/// How an INVITE is answered.
struct InvitationAnswer: Sendable {
    let peer: IdentifiedPeer
    let charter: Charter
    let kind: SessionKind
    let preference: EncryptionPreference
    let identityKind: IdentityKind
    /// The whole frame. What else it holds is not kept a second time: thousands of fields would cost ten times their bytes.
    let encoded: [UInt8]

    init(peer: IdentifiedPeer, invite: Invite, encoded: [UInt8]) {
        self.peer = peer
        (charter, kind) = (invite.charter, invite.sessionKind)
        (preference, identityKind) = (invite.preference, invite.identityKind)
        self.encoded = encoded
    }

    /// ACCEPT and CERTIFICATES, or DECLINE where SPEC §11 refuses (R8.4-2).
    func accept(_ terms: SessionTerms, in context: LinkContext) throws(LinkFailureCause) -> Transition {
        guard let outcome = EncryptionPolicy.outcome(preference, terms.encryption) else {
            return refuse(terms.encryption, in: context)
        }
        let accept = context.send(
            Accept(preference: terms.encryption, identityKind: terms.identityKind, outcome: outcome))
        let agreement = LinkAgreement(
            peer: peer, charter: charter, kind: kind, encryption: outcome, inviter: context.role.peer,
            peerKind: identityKind, invite: encoded, accept: accept)
        return .to(.certificates(try CertificatePhase(agreement, showing: terms.certificate, in: context)))
    }

    /// DECLINE of reason 3 (R8.4-2).
    func refuse(_ own: EncryptionPreference, in context: LinkContext) -> Transition {
        let cause = LinkFailureCause.incompatible(.encryptionPolicy(local: own, remote: preference))
        return decline(.encryptionPolicy(own), cause, in: context)
    }

    /// DECLINE and CLOSE.
    func decline(_ reason: Decline.Reason, _ cause: LinkFailureCause, in context: LinkContext) -> Transition {
        context.send(Decline(reason))
        return .end(.invitationEnded(LinkFailure(stage: .invited, cause: cause)))
    }
}
