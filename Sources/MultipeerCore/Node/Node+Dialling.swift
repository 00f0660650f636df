import MultipeerCrypto
import MultipeerWire

/// Links that members make by themselves (SPEC §14.8).
extension Node {
    // MARK: Wanted members

    /// Whether a link to a member is wanted and nothing forbids dialling it.
    func wantsLink(to member: IdentityKey, in session: NodeSession) -> Bool {
        guard session.membership.isPresentMember, member != key, let entry = session.entry(of: member), entry.isPresent,
            !reputation.isUnwanted(member), !session.isTurnedAway(member)
        else { return false }
        // A member that the local peer has declined because it was full is wanted again once there is a place
        // (R14.9-3).
        if let avoidance = session.record(of: member).avoidance, avoidance != .refused(isFull: true) { return false }
        guard objection(to: member, in: session) == .none, !isKnown(member, beneath: session) else { return false }
        return lacksLink(to: member, in: session) && !unconsumed.areTooMany(of: member, in: session.id)
            && hasPlace(for: member, in: session)
    }

    /// Whether a lesser session of the group has an entry of a member, which counts then (R14.11-8).
    private func isKnown(_ member: IdentityKey, beneath session: NodeSession) -> Bool {
        sessions.group(of: session).contains { $0.id < session.id && $0.entry(of: member) != nil }
    }

    /// Whether a link of the session's group to a member is open, or under way.
    func hasLink(to member: IdentityKey, in session: NodeSession) -> Bool {
        isReconnecting(to: member, in: session.affiliation) || hasLinkUnderWay(to: member, in: session)
    }

    /// Whether nothing is open or under way to a member but an association that may continue at an address that it lists.
    private func lacksLink(to member: IdentityKey, in session: NodeSession) -> Bool {
        !hasLinkUnderWay(to: member, in: session)
            && reconnection(to: member, in: session.affiliation).map { $0.listedFrom != nil } ?? true
    }

    private func hasLinkUnderWay(to member: IdentityKey, in session: NodeSession) -> Bool {
        others(to: member, in: session.affiliation).contains { $0.isUnderWay }
    }

    /// Whether the local peer takes this member. A local peer that takes fewer members than the session has keeps half
    /// of its places for branches of which it has no member linked (SPEC §14.8).
    func hasPlace(for member: IdentityKey, in session: NodeSession) -> Bool {
        guard links.count > configuration.maximumLinks / 2 else { return true }
        let linked = links.all.filter { $0.isAlive && $0.isUnderWay && $0.session == session.id && $0.key != member }
        guard linked.count < configuration.maximumLinks else { return false }
        guard linked.count >= (configuration.maximumLinks + 1) / 2, let entry = session.entry(of: member) else {
            return true
        }
        // Where there is room for all, nobody is kept waiting.
        guard session.membership.roster.count - 1 > configuration.maximumLinks else { return true }
        return !linked.contains { other in
            other.key.flatMap { session.entry(of: $0) }.map { $0.branch == entry.branch } ?? false
        }
    }

    /// Whether places may have been kept from somebody before a link of the session ended.
    func wereShort(in session: NodeSession) -> Bool {
        let linked = links.all.count { $0.isAlive && $0.isUnderWay && $0.session == session.id }
        return linked + 1 >= (configuration.maximumLinks + 1) / 2
    }

    /// The INVITE that the local peer sends to members of a session; nil if it is no present member.
    func memberInvitation(in session: NodeSession) -> NodeLink.OwnInvitation? {
        guard session.membership.isPresentMember, let chain = session.membership.chain else { return nil }
        let charter = session.charter.charter
        return NodeLink.OwnInvitation(
            session: session.id,
            invitation: OutgoingInvitation(
                terms: memberTerms(in: session), session: .members(charter, chain: chain.admissions)),
            kind: .members)
    }

    // MARK: When

    /// Plans to dial a member, if that is wanted; or no longer, if it is not.
    mutating func reconsider(_ member: IdentityKey, in session: NodeSession) {
        var record = session.record(of: member)
        guard wantsLink(to: member, in: session) else {
            guard record.plan.due != nil else { return }
            record.plan.rest()
            session.change(member, record)
            return
        }
        guard record.plan.due == nil, !attempts.hasAny(to: member, in: session.id) else { return }
        needsDialPass = true
        // The one with the greater key gives the other time to dial, unless it cannot be dialled itself.
        let waits = member < key && session.membership.showsAddresses
        let start = waits ? now.advanced(by: DialPlan.courtesy) : now
        record.plan.want(from: reconnection(to: member, in: session.affiliation)?.listedFrom ?? start)
        session.change(member, record)
    }

    /// A place is free, for its member or, if they were short, for another one. The group may have gone to another session meanwhile.
    mutating func placeBecameFree(of member: IdentityKey, in session: NodeSession) {
        for held in sessions.group(of: session) {
            wereShort(in: held) ? reconsiderAll(in: held) : reconsider(member, in: held)
        }
    }

    /// Reconsiders all members of a session: places were taken or became free.
    mutating func reconsiderAll(in session: NodeSession) {
        for member in session.others { reconsider(member, in: session) }
    }

    /// Begins the attempts that are due, as far as there is room for them.
    mutating func dialWhatIsDue() {
        guard needsDialPass || nextDial.map({ $0 <= now }) ?? false else { return }
        needsDialPass = false
        for session in sessions.inOrder {
            for member in session.dueMembers(at: now) { dial(member, in: session) }
        }
        nextDial = sessions.inOrder.reduce(nil) { Instant.earlier($0, $1.nextDial(after: now)) }
    }

    /// Tries the next address of a member, if it may be tried now.
    private mutating func dial(_ member: IdentityKey, in session: NodeSession) {
        var record = session.record(of: member)
        let targets = session.targets(of: member)
        guard wantsLink(to: member, in: session) else {
            record.plan.rest()
            return session.change(member, record)
        }
        let reconnection = reconnection(to: member, in: session.affiliation)
        if let reconnection, isBeingResumed(reconnection) {
            record.plan.wait(until: now.advanced(by: DialPlan.courtesy))
            return session.change(member, record)
        }
        guard attempts.bounds.hasRoom(isKnown: record.hasBeenLinked) else { return }
        let isResuming = reconnection != nil
        let times = targets.map { attempts.bounds.next($0, isResuming: isResuming, at: now) }
        while record.plan.index < targets.count {
            let index = record.plan.index
            guard let time = times[index], time <= now else {
                record.plan.skip()
                continue
            }
            let attempt = attempts.begin(targets[index], in: session.id, isKnown: record.hasBeenLinked, at: now)
            record.plan.tried(of: targets.count, at: now)
            session.change(member, record)
            effects.append(.dial(attempt.number, targets[index].address))
            return
        }
        // Nothing is left of the round. If nothing of it was tried, a time comes for it, or never.
        record.plan.roundDone()
        if record.plan.hasTried {
            if !attempts.hasAny(to: member, in: session.id) { record.plan.roundFailed(isResuming: isResuming, at: now) }
        } else if let next = times.compactMap({ $0 }).filter({ $0 > now }).min() {
            record.plan.wait(until: next)
        }
        session.change(member, record)
    }

    // MARK: What becomes of it

    /// An attempt has not led to the member. When it was the last one of its round, the next round waits (R14.8-6).
    mutating func attemptFailed(_ attempt: DialAttempt) {
        guard let session = sessions[attempt.session] else { return }
        var record = session.record(of: attempt.member)
        guard record.plan.due == nil, !attempts.hasAny(to: attempt.member, in: attempt.session),
            wantsLink(to: attempt.member, in: session)
        else { return }
        record.plan.roundFailed(
            isResuming: isReconnecting(to: attempt.member, in: session.affiliation), at: now)
        session.change(attempt.member, record)
    }

    /// The member is reached on one link: the other attempts are not needed any more, and send no PROOF (R14.8-7). What the app has
    /// connected stays: another link may end without a session, and where it opens, the app's link is a duplicate (R8.7-3).
    mutating func cancelAttempts(to member: IdentityKey, in session: SessionID, except reached: NodeLink?) {
        needsDialPass = true
        attempts.forget(member, in: session)
        for number in attempts.connecting(to: member, in: session) {
            attempts.failed(number)
            effects.append(.cancelDial(number))
        }
        for link in links.links(of: member) where link !== reached && link.isAlive {
            guard case .dialled = link.origin, case .preparing(let own) = link.state, own.session == session else {
                continue
            }
            close(link, .unneeded)
        }
        guard let held = sessions[session] else { return }
        var record = held.record(of: member)
        record.plan.rest()
        held.change(member, record)
    }
}
