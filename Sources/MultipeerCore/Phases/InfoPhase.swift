import MultipeerCrypto
import MultipeerWire

/// The peer has proved its key; its name is missing (SPEC §8.1).
struct InfoPhase: LinkPhase, ~Copyable {
    let peer: ProvedPeer
    /// The initiator's invitation, where it went out before the peer's name came.
    let sent: SentInvitation?
    /// RESUME in place of an invitation.
    let resuming: SentResume?

    init(peer: ProvedPeer, sent: SentInvitation? = nil, resuming: SentResume? = nil) {
        (self.peer, self.sent, self.resuming) = (peer, sent, resuming)
    }

    var stage: LinkStage { .info }
    /// An initiator that expects this peer need not wait for its name (SPEC §8.2).
    var readinessToInvite: ReadinessToInvite { sent == nil && resuming == nil ? .nowIfExpected : .never }
    consuming func unchanged() -> Transition { .to(.info(self)) }

    consuming func invite(_ invitation: OutgoingInvitation, in context: LinkContext) -> Transition {
        .to(.info(InfoPhase(peer: peer, sent: SentInvitation(invitation, in: context))))
    }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        guard type == .peerInfo else { throw frame.unexpected }
        let info = try frame.decode(PeerInfo.self)
        let identified = IdentifiedPeer(
            proved: peer, id: PeerID(key: peer.key, displayName: try displayName(in: info)),
            maximumMessage: info.maximumMessage, info: [UInt8](copying: frame.encoded))
        context.peerFeatures = info.features
        context.effects.emit(.identified(identified.id))
        if let resuming { return .to(.resuming(ResumingPhase(peer: identified, sent: resuming))) }
        if let sent {
            let inviting = InvitingPhase(peer: identified, sent: sent, in: context)
            // The invitation's time may be over before the peer has said its name (R8.2-4).
            return context.now >= sent.deadline ? inviting.timeout(in: context) : .to(.inviting(inviting))
        }
        return identified.awaitInvitation(in: context)
    }

    /// Nil if the peer shows its name to others only (SPEC §8.1).
    private func displayName(in info: PeerInfo) throws(LinkFailureCause) -> DisplayName? {
        guard !info.displayName.isEmpty else { return nil }
        do {
            return try DisplayName(String(decoding: info.displayName, as: UTF8.self))
        } catch {
            throw .malformed(WireError(.valueOutOfRange, in: .displayName))
        }
    }
}

extension InfoPhase {
    /// An INVITE that has not gone out is taken back. One that has is followed by CLOSE alone: CANCEL belongs to *inviting*
    /// (SPEC §17).
    consuming func close(in context: LinkContext) -> Transition {
        context.takeBackInvitation()
        return close(.noError)
    }
}

/// What is known once the peer has said its name.
struct IdentifiedPeer: Sendable {
    let proved: ProvedPeer
    let id: PeerID
    let maximumMessage: UInt64
    /// The peer's PEER_INFO, the whole frame as it came.
    let info: [UInt8]

    /// Begins *identified*, unless a local invitation waits to go out (R17-1).
    func awaitInvitation(in context: LinkContext) -> Transition {
        if let invitation = context.takePendingInvitation() {
            let sent = SentInvitation(invitation, in: context)
            return .to(.inviting(InvitingPhase(peer: self, sent: sent, in: context)))
        }
        context.setDeadline(after: context.timeouts.invitation)
        return .to(.identified(IdentifiedPhase(peer: self)))
    }

    /// Decodes an INVITE of this peer, and judges what needs no other INVITE to be judged, in the order of SPEC §8.2.
    func invitation(in frame: borrowing RawFrame, _ context: LinkContext) throws(LinkFailureCause) -> Invite {
        let invite = try frame.decode(Invite.self)
        // The founder of a new session is its inviter (R8.2-5).
        guard invite.sessionKind != .new || invite.charter.founder == proved.key.rawBytes else {
            throw .malformed(WireError(.valueOutOfRange, in: .founder))
        }
        // Members invite each other on links that they opened (R14.8-1).
        guard invite.sessionKind != .members || context.role == .responder else { throw frame.unexpected }
        if let chain = invite.chain {
            try AdmissionChain.check(chain, of: proved.key, in: invite.charter, context.crypto)
        }
        return invite
    }
}

/// Both know each other; nobody has invited.
struct IdentifiedPhase: LinkPhase, ~Copyable {
    let peer: IdentifiedPeer

    var stage: LinkStage { .identified }
    var readinessToInvite: ReadinessToInvite { .now }
    consuming func unchanged() -> Transition { .to(.identified(self)) }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        if type == .codeBegin, !context.hasTriedCode {
            return .to(.pairing(try PairingPhase(asking: frame, of: peer, in: context)))
        }
        if type == .resume, context.role == .responder { return try peer.answerResume(frame, in: context) }
        guard type == .invite else { throw frame.unexpected }
        let invite = try peer.invitation(in: frame, context)
        let encoded = [UInt8](copying: frame.encoded)
        return .to(.invited(InvitedPhase(peer: peer, invite: invite, encoded: encoded, in: context)))
    }

    consuming func give(
        _ code: GivenCode, in context: LinkContext
    ) throws(LinkFailureCause) -> Transition {
        .to(.pairing(try PairingPhase(typing: code, of: peer, in: context)))
    }

    consuming func invite(_ invitation: OutgoingInvitation, in context: LinkContext) -> Transition {
        let sent = SentInvitation(invitation, in: context)
        return .to(.inviting(InvitingPhase(peer: peer, sent: sent, in: context)))
    }
}

extension LinkContext {
    /// The invitation that waits for the peer to be identified, or for a one-time code.
    func takePendingInvitation() -> OutgoingInvitation? {
        defer { pendingInvitation = nil }
        return pendingInvitation
    }
}
