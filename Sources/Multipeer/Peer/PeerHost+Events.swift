import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerTransfers
import MultipeerWire

/// What the node reports of links and members.
extension PeerHost {
    /// - Parameters:
    ///   - effect: What the node reports.
    ///   - connection: The connection of a link that has opened.
    func handle(_ effect: NodeEffect, _ connection: LinkConnection? = nil) async {
        switch effect {
        case .identified(let link, let peer): identified(peer, on: link)
        case .visited(let link): visited(on: link)
        case .invited(let link, _, let invitation): await invited(on: link, invitation)
        case .invitationReplaced(let link, by: _): registry.withdrawQuestion(on: link)
        case .callEnded(let link, let outcome): registry.callEnded(on: link, outcome)
        case .closed(let link, let end): closed(link, end)
        case .connected(let session, let link, let summary, isReplacement: _):
            await connected(registry.session(session), session, link, summary, connection)
        case .departed(let session, let key, let departure, let end):
            await departed(registry.session(session), session, key, departure, end)
        case .verification(let link, let event): await verificationWent(event, on: link)
        case .codeExpired: verification.expire()
        case .memberChanged(let session, let key): await changed(key, session, registry.session(session))
        case .contradiction(let session, let key):
            registry.session(session)?.tell(.warning(.contradiction(PeerID(key: key, displayName: nil))))
        case .twinSuspected(let session): registry.session(session)?.tell(.warning(.identityUsedTwice))
        case .placeLost(let session): registry.session(session)?.tell(.warning(.placeLost))
        case .moved(let link, let session): registry.session(session)?.noteMove(of: link, into: session)
        case .signingFailed(let session, _): registry.session(session)?.tell(.warning(.signingFailed))
        // The driver's.
        case .dial, .cancelDial, .released, .verify, .payload: break
        // The registry's.
        case .invitationAccepted, .followed, .united, .left: break
        // All invitations are calls.
        case .notInvited: break
        // Members that cannot be united with are reachable all the same, by whoever is linked to both.
        case .staysApart: break
        case .reconnecting(let session, let key, let link): await reconnecting(key, link, registry.session(session))
        case .resumed(let link, by: let next): registry.continued(link, by: next)
        }
    }

    private func identified(_ peer: PeerID, on link: LinkNumber) {
        // A local peer that waits to be invited by a member that is connected already waits for nothing.
        guard let attempt = registry.attempt(on: link), attempt.isJoining,
            let member = attempt.session?.member(peer.key)?.member
        else { return }
        registry.removeAttempt(on: link)?.resolve(.success(member))
    }

    private func closed(_ link: LinkNumber, _ end: LinkEnd) {
        let error = MultipeerError.connection(end)
        verification.ended(link, error)
        registry.closed(link)?.resolve(.failure(error))
    }

    /// A link has opened in a session of the app. Its next invitations are to the home of the group.
    private func settle(_ session: SessionCore, in id: SessionID) async {
        let (registry, terms) = (registry, session.terms)
        try? await node.perform { (node, _) throws(NodeRequestError) in
            registry.register(session, as: node.home(of: session.group) ?? id)
            try node.setMemberTerms(terms, in: id)
        }
    }

    private func connected(
        _ session: SessionCore?, _ id: SessionID, _ link: LinkNumber, _ summary: LinkSummary,
        _ connection: LinkConnection?
    ) async {
        guard let connection else { return }
        guard let session else { return connection.discardEvents() }
        await settle(session, in: id)
        if let (connected, wasLost) = session.reconnected(summary.peer.key, over: link) {
            let attempts = registry.opened(link, SessionRegistry.OpenLink(session: session, member: connected))
            if wasLost { await tell(.connected(connected.member), of: summary.peer.key, in: session) }
            for attempt in attempts { attempt.resolve(.success(connected.member)) }
            return
        }
        let member = Member(summary)
        let connected = ConnectedMember(
            member, in: id, on: link, connection, FileTransfers(over: connection, settings: transfers))
        let isNew = session.add(connected)
        let attempts = registry.opened(link, SessionRegistry.OpenLink(session: session, member: connected))
        session.keeper?.noteChange()
        if isNew { await tell(.connected(member), of: member.id.key, in: session) }
        // From here on events go from the event loop straight into the session's queue.
        await session.takeEvents(of: connected)
        for attempt in attempts { attempt.resolve(.success(member)) }
    }

    private func reconnecting(_ key: IdentityKey, _ link: LinkNumber, _ session: SessionCore?) async {
        guard let session, let member = session.reconnecting(key, over: link) else { return }
        await tell(.reconnecting(member), of: key, in: session)
    }

    private func departed(
        _ session: SessionCore?, _ id: SessionID, _ key: IdentityKey, _ departure: Departure, _ end: LinkEnd
    ) async {
        guard let session else { return }
        // A member that is connected in another session of the group has not departed.
        guard session.member(key).map({ $0.session == id }) ?? true else { return }
        let (connecting, accepted) = (session.takeConnecting(key), session.takeAccepted(key))
        let peer = connecting ?? accepted
        let (member, reason) = session.remove(key, departure, end)
        if let member {
            member.transfers.report(end)
            await tell(.disconnected(member.member, reason), of: key, in: session)
        } else if let peer {
            await tell(.failed(peer, reason), of: key, in: session)
        }
    }

    private func changed(_ key: IdentityKey, _ id: SessionID, _ session: SessionCore?) async {
        guard let session else { return }
        session.keeper?.noteChange()
        let info = try? await node.perform { (node, _) throws(NodeRequestError) in node.member(key, in: id) }
        guard let info, info.state == .linking else { return }
        let peer = PeerID(
            key: key, displayName: String(validating: info.name, as: UTF8.self).flatMap { try? DisplayName($0) })
        guard session.noteConnecting(peer) else { return }
        await tell(.connecting(peer), of: key, in: session)
    }

    /// A peer that makes more noise than the app takes is turned away.
    private func tell(_ event: SessionEvent, of key: IdentityKey, in session: SessionCore) async {
        guard !session.tell(event, of: key) else { return }
        if let member = session.member(key) { await node.close(member.link) }
    }
}

/// What a link reports.
extension SessionCore {
    /// Takes the events of a member's link, those that wait first. Once more if what the session says of the member changes.
    func takeEvents(of member: ConnectedMember) async {
        await member.connection.forward { [self] event in handle(event, of: member) }
    }

    /// On the event loop.
    private func handle(_ event: ReceiptedEvent, of member: ConnectedMember) {
        switch event.effect {
        case .message(let bytes), .datagram(let bytes):
            member.counts.noteReceived(bytes.count)
            return tell(.message(Message(bytes: bytes), member.member), event)
        case .incomingFile(.offered(let offer)):
            member.transfers.report(event.effect)
            tell(.file(OfferedFile(offer, from: member)))
        case .stream(.opened(let stream, let name)):
            tell(.stream(PeerStream(stream, named: name, member, isOwn: false)))
        case .closed:
            noteUndelivered(member.connection.undelivered, by: member)
            member.transfers.report(event.effect)
        default: member.transfers.report(event.effect)
        }
        event.consume()
    }
}
