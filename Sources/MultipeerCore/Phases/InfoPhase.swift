import MultipeerCrypto
import MultipeerWire

/// The peer has proved its key; its name is missing (SPEC §8.1).
struct InfoPhase: ~Copyable {
    let peer: ProvedPeer
    /// The invitation that went out with this side's PROOF.
    let sent: SentInvitation?

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) -> Phase {
        guard type == .peerInfo else { throw frame.unexpected }
        let info = try frame.decode(PeerInfo.self)
        let name: DisplayName
        do {
            name = try DisplayName(String(decoding: info.displayName, as: UTF8.self))
        } catch {
            throw .malformed(WireError(.valueOutOfRange, in: .displayName))
        }
        let identified = IdentifiedPeer(
            proved: peer, id: PeerID(key: peer.key, displayName: name), maximumMessage: info.maximumMessage)
        context.effects.emit(.identified(identified.id))
        if let sent { return Self.inviting(identified, sent, in: &context) }
        if let invitation = context.takePendingInvitation() {
            return Self.inviting(identified, SentInvitation(invitation, in: &context), in: &context)
        }
        context.setDeadline(after: context.timeouts.invitation)
        return .identified(IdentifiedPhase(peer: identified))
    }

    /// INVITE may have waited longer for PEER_INFO than it waits for an answer (SPEC §8.2): an answer is late then, also one
    /// that came along with PEER_INFO (R18-2).
    private static func inviting(
        _ peer: IdentifiedPeer, _ sent: SentInvitation, in context: inout LinkContext
    ) -> Phase {
        let phase = InvitingPhase(peer: peer, sent: sent, in: &context)
        return sent.deadline <= context.now ? phase.timeout(in: &context) : .inviting(phase)
    }
}

/// What is known once the peer has said its name.
struct IdentifiedPeer: Sendable {
    let proved: ProvedPeer
    let id: PeerID
    let maximumMessage: UInt64
}

/// Both know each other; nobody has invited.
struct IdentifiedPhase: ~Copyable {
    let peer: IdentifiedPeer

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) -> Phase {
        guard type == .invite else { throw frame.unexpected }
        let invite = try frame.decode(Invite.self)
        return .invited(
            InvitedPhase(peer: peer, invite: invite, encoded: [UInt8](copying: frame.encoded), in: &context))
    }

    consuming func invite(_ invitation: OutgoingInvitation, in context: inout LinkContext) -> Phase {
        let sent = SentInvitation(invitation, in: &context)
        return .inviting(InvitingPhase(peer: peer, sent: sent, in: &context))
    }
}

extension LinkContext {
    /// The invitation that waits for the peer to be identified.
    mutating func takePendingInvitation() -> OutgoingInvitation? {
        defer { pendingInvitation = nil }
        return pendingInvitation
    }
}
