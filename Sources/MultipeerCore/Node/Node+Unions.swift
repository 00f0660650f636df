import MultipeerCrypto
import MultipeerWire

/// Sessions of one group that unite (SPEC §14.11). Links judge UNITE and ENTER (``LinkMembership``); what the group makes of them is here.
extension Node {
    /// How many sessions a group holds at least (R14.11-8).
    private static var mostSessions: Int { 8 }

    /// Carries out what UNITEs have led to, and sends those that are due. Whether anything was done.
    mutating func unite() -> Bool {
        guard sessions.signals.hasUnions else { return false }
        sessions.signals.hasUnions = false
        for session in sessions.inOrder where session.group != nil { takeUp(what: session) }
        for link in openLinks { sendUnite(on: link, isAgain: false) }
        return true
    }

    /// The sessions into which a group has followed, and those into which it has not.
    private mutating func takeUp(what session: NodeSession) {
        let (sharing, group) = (session.sharing, session.group)
        while let membership = sharing.takeFollowed() {
            let held = NodeSession(membership, in: group, of: sessions.groups, isProvisional: false, at: now)
            sessions.add(held)
            inherit(from: session, by: held)
            if let group { effects.append(.followed(group, into: held.id)) }
        }
        guard let group else { return }
        while let refused = sharing.takeRefused() { effects.append(.staysApart(group, refused)) }
        if let home = sharing.home?.session.id, home != sharing.reportedHome {
            if let before = sharing.reportedHome { effects.append(.united(group, from: before, into: home)) }
            sharing.reportedHome = home
            forgetGreatest(of: session)
        }
    }

    /// What is held against peers holds in all sessions of the group (R14.11-9).
    private func inherit(from session: NodeSession, by entered: NodeSession) {
        for other in sessions.group(of: session) where other !== entered {
            for peer in other.turnedAway.inOrder { entered.turnAway(peer, avoiding: .closed) }
            entered.takeAvoidances(of: other)
        }
    }

    /// Of many sessions the greatest are forgotten in which no link is (R14.11-8).
    private mutating func forgetGreatest(of session: NodeSession) {
        let used = Set(
            links.all.filter(\.isAlive).flatMap { link in
                [link.session, link.membership?.own.session, link.membership?.remote.session].compactMap(\.self)
            } + reconnections.all.map(\.agreement.session))
        let (all, home) = (sessions.group(of: session).sorted { $0.id > $1.id }, session.sharing.home?.session.id)
        for old in all.prefix(max(all.count - Self.mostSessions, 0)) where !used.contains(old.id) && old.id != home {
            remove(old.id)
        }
    }

    /// UNITE goes out on a link, if it is due (R14.11-1).
    mutating func sendUnite(on link: NodeLink, isAgain: Bool) {
        guard let part = link.membership, let key = link.key, link.isAlive, link.isOpen,
            let session = sessions[part.own.session], let home = session.sharing.home,
            part.owesUnite(for: home, isAgain: isAgain), let entered = sessions[home.session.id]
        else { return }
        do throws(LinkFailureCause) {
            let admission = try signature(admitting: key, to: entered, except: link)
            guard admission != nil || entered.entry(of: key)?.isPresent ?? false else { return }
            link.link.send(.unite(home, admission: admission ?? []), at: now)
        } catch {
            signingFailed(error, in: entered)
        }
    }

    private func signature(
        admitting key: IdentityKey, to session: NodeSession, except link: NodeLink
    ) throws(LinkFailureCause) -> [UInt8]? {
        guard session.entry(of: key) != nil || mayInviteStranger(key, to: session) else { return nil }
        return try session.membership.signature(admitting: key)
    }

    /// The peer's direction of a link has moved: its entries are in the lesser session from now on, and what is known of it goes along.
    mutating func noteMove(of link: NodeLink) {
        guard case .open(let agreement) = link.state, let part = link.membership, let key = link.key,
            part.remote.session != agreement.session, let entered = sessions[part.remote.session]
        else { return }
        link.state = .open(
            NodeLink.Agreement(session: entered.id, kind: agreement.kind, peerOrder: agreement.peerOrder))
        var record = entered.record(of: key)
        if let left = sessions[agreement.session] {
            var old = left.record(of: key)
            record.isShownConnected = old.isShownConnected
            record.isAskedFor = record.isAskedFor || old.isAskedFor
            old.isShownConnected = false
            old.plan.rest()
            left.change(key, old)
            left.note(key)
        }
        record.noteLink()
        entered.change(key, record)
        entered.note(key)
        cancelAttempts(to: key, in: entered.id, except: link)
        effects.append(.moved(link.number, into: entered.id))
    }
}
