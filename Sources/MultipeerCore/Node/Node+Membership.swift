import MultipeerCrypto
import MultipeerWire

/// What memberships ask of the node (SPEC §14.6), and what entries mean for links (SPEC §14.10).
extension Node {
    /// Carries out what memberships want. Whether anything was done.
    mutating func carryOutMembershipEvents() -> Bool {
        guard sessions.signals.hasEvents else { return false }
        sessions.signals.hasEvents = false
        var hasAny = false
        for session in sessions.inOrder {
            while let event = session.membership.nextEvent() {
                carryOut(event, in: session)
                hasAny = true
            }
        }
        return hasAny
    }

    private mutating func carryOut(_ event: MembershipEvent, in session: NodeSession) {
        switch event {
        case .signed(let entry): send(.own(entry), in: session)
        case .newcomer(let entry): send(.newcomer(entry), in: session)
        case .kept(let entry, let isNewRun): kept(entry, isNewRun: isNewRun, in: session)
        case .dropped(let member):
            cancelAttempts(to: member, in: session.id, except: nil)
            session.forget(member)
            session.note(member)
        case .contradiction(let member): effects.append(.contradiction(session.id, member))
        case .twinSuspected: effects.append(.twinSuspected(session.id))
        case .placeLost: effects.append(.placeLost(session.id))
        }
    }

    /// Says something on all open links of a session.
    private mutating func send(_ update: SessionUpdate, in session: NodeSession) {
        for link in openLinks where link.membership?.own.membership === session.membership {
            link.link.send(update, at: now)
        }
    }

    /// The open links that nobody has closed, the oldest first.
    var openLinks: [NodeLink] { links.all.filter { $0.isAlive && $0.isOpen } }

    /// One neighbour, chosen at random, is asked whether its roster is the same (R14.6-3).
    mutating func sendDigest(_ session: NodeSession) {
        let neighbours = openLinks.filter { $0.isNeighbour(in: session.membership) }
        guard session.membership.isPresentMember, !neighbours.isEmpty else { return }
        let link = neighbours[environment.random.number(below: neighbours.count)]
        link.link.send(.digest, at: now)
        sendUnite(on: link, isAgain: true)
    }

    /// The rows of SPEC §14.10 that begin with an entry.
    private mutating func kept(_ entry: VerifiedEntry, isNewRun: Bool, in session: NodeSession) {
        let member = entry.member
        guard member != key else { return }
        session.sharing.noteChange()
        session.note(member)
        var record = session.record(of: member)
        if record.unlinkedSince == nil, !hasLink(to: member, in: session) { record.unlinkedSince = now }
        if !entry.isPresent {
            record.plan.rest()
            session.change(member, record)
            // A member that has left does not come back on another link (R13.9-3).
            for reconnection in reconnections.reconnections(to: member)
            where reconnection.agreement.session == session.id { finish(reconnection, as: .left) }
            return cancelAttempts(to: member, in: session.id, except: nil)
        }
        record.heard(ofInstance: entry.version.instance)
        if isNewRun, record.plan.renewForNewRun(at: now) { attempts.forget(member, in: session.id) }
        session.change(member, record)
        if objection(to: member, in: session) != .none { cancelAttempts(to: member, in: session.id, except: nil) }
        reconsider(member, in: session)
    }

    /// A local entry could not be signed.
    mutating func signingFailed(_ cause: LinkFailureCause, in session: NodeSession) {
        guard case .crypto(let failure) = cause else { return }
        effects.append(.signingFailed(session.id, failure))
    }

    // MARK: Sessions

    /// The part in a session that somebody invites to: the one that there is, or a new one. Nil if the charter is none.
    mutating func join(_ charter: Charter, in group: GroupNumber?) -> NodeSession? {
        guard let session = try? SessionCharter(charter, hashing: environment.crypto.hashing) else { return nil }
        if let known = sessions[session.id] { return known }
        let held = add(session, in: group, isProvisional: true, remembered: nil)
        // A founder is a member by the charter, also where it has lost its memory: it has an entry to show (R14.6-1).
        guard held.membership.chain != nil else { return held }
        do throws(LinkFailureCause) {
            try held.membership.announce(at: now)
        } catch {
            signingFailed(error, in: held)
        }
        return held
    }

    /// Begins a part in a session.
    mutating func add(
        _ session: SessionCharter, in group: GroupNumber?, isProvisional: Bool, remembered: UInt64?
    ) -> NodeSession {
        let membership = sessions.groups.makeMembership(session, remembering: remembered, at: now)
        let held = NodeSession(
            membership, in: group, of: sessions.groups, isProvisional: isProvisional, at: now)
        sessions.add(held)
        return held
    }
}
