import MultipeerCrypto
import MultipeerWire

/// What a link makes of the frames of a session (SPEC §14.5) while nobody takes part in the session for it: it stays a guest.
struct GuestSession: Sendable {
    /// Whether ADMIT may come: the peer's INVITE wins, it is of kind 0 or 1, and there was none before (R14.5-1).
    private var mayBeAdmitted: Bool

    init(isInvitedByPeer: Bool, kind: SessionKind) {
        mayBeAdmitted = isInvitedByPeer && kind != .members
    }

    /// Takes a frame of §14. Entries, digests and UNITE are ignored once they are decoded (R14.5-5); a guest has asked for nothing
    /// (R14.5-4).
    mutating func receive(
        _ frame: borrowing RawFrame, type: FrameType, charter: Charter, as member: IdentityKey,
        with crypto: CryptoProvider
    ) throws(LinkFailureCause) {
        switch type {
        case .admit:
            let admit = try frame.decode(Admit.self)
            guard mayBeAdmitted else { throw frame.unexpected }
            mayBeAdmitted = false
            // A chain that is not valid for its receiver is an error, also if it stays unused (R14.5-1).
            try AdmissionChain.check(admit.chain, of: member, in: charter, crypto)
        case .roster: _ = try frame.decode(RosterFrame.self)
        case .digest: _ = try frame.decode(DigestFrame.self)
        case .unite: _ = try frame.decode(Unite.self)
        case .enter:
            _ = try frame.decode(Enter.self)
            throw frame.unexpected
        case .summary:
            _ = try frame.decode(Summary.self)
            throw frame.unexpected
        case .want:
            _ = try frame.decode(Want.self)
            throw frame.unexpected
        default: throw frame.unexpected
        }
    }
}
