import MultipeerCrypto
import MultipeerWire

/// What a node does with a link beside what every app does (SPEC §14).
extension Link {
    /// The peer whose PROOF verified; nil before. It stays when the link is over.
    var provedPeer: IdentityKey? { context.provedPeer }

    /// Asks the peer of an open link whether it is there: ``LinkEffect/probeAnswered`` says so. If it says nothing for `patience`
    /// meanwhile, the link ends as *silent* (R8.7-7).
    mutating func probe(within patience: Duration, at now: Instant) {
        begin(at: now)
        state.payload?.association.keepAlive.probe(within: patience, at: now)
    }

    /// Gives the link its part in a session, before the verdict: without one it is a guest's (R14.5-5).
    mutating func attach(_ membership: LinkMembership) { context.membership = membership }

    /// Sends what the session has to say on an open link. A link that is not open, or is a guest's, sends nothing.
    mutating func send(_ update: SessionUpdate, at now: Instant) {
        begin(at: now)
        guard let payload = state.payload, case .member(let membership) = payload.session else { return }
        switch update {
        case .own(let entry): membership.own.sendOwn(entry, into: &payload.association.control)
        case .newcomer(let entry): membership.own.sendNewcomer(entry, into: &payload.association.control, at: now)
        case .digest: membership.own.sendDigest(into: &payload.association.control)
        case .unite(let home, let admission):
            membership.sendUnite(for: home, admission: admission, into: &payload.association.control, at: now)
        }
    }
}

/// What a session says on its links by itself.
enum SessionUpdate {
    /// An entry that this member has signed (R14.6-1).
    case own(VerifiedEntry)
    /// The first entry of a newcomer that this member has admitted (R14.6-7).
    case newcomer(VerifiedEntry)
    /// The digest of the roster (R14.6-3).
    case digest
    /// The group's home, with the admission of the peer, if it is admitted (R14.11-1).
    case unite(Membership, admission: [UInt8])
}
