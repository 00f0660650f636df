import MultipeerCrypto
import MultipeerWire

/// What is held against those that a peer has admitted (R14.9-5). An identity costs nothing: a peer that was turned
/// away could else come back at once, under a key that it has admitted itself.
extension Node {
    /// An objection between the local peer and a member because of those in its chain.
    enum Objection: Int, Comparable {
        case none
        /// It is not dialled, and the app is asked about its INVITE.
        case asks
        /// It is not dialled, and its INVITE is declined.
        case declines

        static func < (one: Objection, other: Objection) -> Bool { one.rawValue < other.rawValue }
    }

    /// - Parameter chain: What its INVITE brings, beside the chain of its entry.
    func objection(to member: IdentityKey, by chain: [Admission] = [], in session: NodeSession) -> Objection {
        let record = session.record(of: member)
        // A member that was linked before is judged by what it did, and one for which the app has asked is wanted.
        guard !record.hasBeenLinked, !record.isAskedFor else { return .none }
        let entry = session.entry(of: member)?.entry.content.chain ?? []
        return max(objection(by: chain, in: session), objection(by: entry, in: session))
    }

    private func objection(by chain: [Admission], in session: NodeSession) -> Objection {
        chain.map { admission in
            guard let admitter = try? IdentityKey(rawBytes: admission.admitter), admitter != key else { return .none }
            let isUnwanted = reputation.isUnwanted(admitter)
            let isTurnedAway = session.isTurnedAway(admitter)
            // The founder stands behind everybody. So what it did counts for those alone whom nobody else has admitted.
            if admitter == session.charter.founder {
                return chain.count == 1 && (isUnwanted || isTurnedAway) ? .asks : .none
            }
            return isUnwanted ? .declines : isTurnedAway ? .asks : .none
        }.max() ?? .none
    }

    /// What is held against a member has changed: those that it has admitted are dialled, or no longer.
    mutating func reconsiderThose(admittedBy member: IdentityKey, in session: NodeSession) {
        for other in session.others {
            let chain = session.entry(of: other)?.entry.content.chain ?? []
            guard chain.contains(where: { $0.admitter == member.rawBytes }) else { continue }
            if objection(to: other, in: session) != .none { cancelAttempts(to: other, in: session.id, except: nil) }
            reconsider(other, in: session)
        }
    }
}

// MARK: Keeping it

extension Node {
    /// What the local peer holds against others, for a later run (R14.9-6).
    func grudges(in session: NodeSession) -> [Grudge] {
        let all =
            reputation.blocked.map { Grudge(peer: $0, reason: .blocked) }
            + reputation.offenders.map { Grudge(peer: $0, reason: .misbehaved) }
            + session.turnedAway.inOrder.map { Grudge(peer: $0, reason: .turnedAway) }
        return Array(all.sorted().prefix(SessionMemory.mostGrudges))
    }

    /// Takes what an earlier run has held against others.
    mutating func recall(_ grudges: [Grudge], in session: NodeSession) {
        for grudge in grudges.prefix(SessionMemory.mostGrudges) where grudge.peer != key {
            switch grudge.reason {
            case .blocked: reputation.block(grudge.peer)
            case .misbehaved: reputation.misbehaved(grudge.peer, in: session.branch(of: grudge.peer))
            case .turnedAway: session.turnAway(grudge.peer, avoiding: .closed)
            }
        }
    }
}
