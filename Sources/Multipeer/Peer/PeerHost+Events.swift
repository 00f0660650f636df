import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerTransfers
import MultipeerWire

/// What the node tells of links and members.
extension PeerHost {
    func handle(_ effect: NodeEffect) async {
        switch effect {
        case .identified(let link, let peer):
            registry.note(peer, on: link)
            expectVisit(of: peer, on: link)
        case .invited(let link, _, let invitation): await invited(on: link, invitation)
        case .invitationReplaced(let link, by: _): registry.closed(link)
        case .invitationsMerged: break  // The registry has seen to it.
        case .notInvited(let link, let error): registry.removeAttempt(on: link)?.resolve(.failure(.request(error)))
        case .closed(let link, let end): closed(link, end)
        case .connected(let session, let link, let summary, isReplacement: _):
            await connected(registry.session(session), link, summary)
        case .departed(let session, let key, let departure, let end):
            await departed(registry.session(session), key, departure, end)
        case .memberChanged(let session, let key): await changed(key, session, registry.session(session))
        case .contradiction(let session, let key):
            registry.session(session)?.tell(.warning(.contradiction(PeerID(key: key, displayName: nil))))
        case .twinSuspected(let session): registry.session(session)?.tell(.warning(.identityUsedTwice))
        case .placeLost(let session): registry.session(session)?.tell(.warning(.placeLost))
        case .signingFailed(let session, _): registry.session(session)?.tell(.warning(.signingFailed))
        // The driver's.
        case .dial, .cancelDial, .released, .verify, .payload: break
        }
    }

    private func closed(_ link: LinkNumber, _ end: LinkEnd) {
        registry.closed(link)
        guard let attempt = registry.removeAttempt(on: link) else { return }
        switch end {
        case .finished: attempt.resolve(.failure(.closed))
        case .failed(let failure): attempt.resolve(.failure(.failed(failure)))
        }
    }

    private func connected(_ session: SessionCore?, _ link: LinkNumber, _ summary: LinkSummary) async {
        guard let session, let connection = await node.connection(of: link) else { return }
        let member = Member(summary)
        registry.opened(link, summary.peer, in: session)
        let isNew = session.add(
            ConnectedMember(
                member: member, link: link, connection: connection,
                transfers: FileTransfers(over: connection, settings: transfers)))
        if isNew { await tell(.connected(member), of: member.id.key, in: session) }
        registry.removeAttempt(on: link)?.resolve(.success(member))
        for attempt in registry.removeAttempts(of: session, to: summary.peer) { attempt.resolve(.success(member)) }
    }

    private func departed(
        _ session: SessionCore?, _ key: IdentityKey, _ departure: Departure, _ end: LinkEnd
    ) async {
        guard let session else { return }
        let peer = session.takeConnecting(key)
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
        let info = try? await node.perform { (node, _) throws(NodeRequestError) in node.member(key, in: id) }
        guard let info, info.state == .linking else { return }
        let peer = PeerID(
            key: key, displayName: String(validating: info.name, as: UTF8.self).flatMap { try? DisplayName($0) })
        guard session.noteConnecting(peer) else { return }
        await tell(.connecting(peer), of: key, in: session)
    }

    /// Whoever makes more noise than the app takes is turned away.
    private func tell(_ event: SessionEvent, of key: IdentityKey, in session: SessionCore) async {
        guard !session.tell(event, of: key) else { return }
        if let member = session.member(key) { await node.close(member.link) }
    }
}

/// What a link tells.
extension SessionCore {
    func handle(_ event: ReceiptedEvent, on link: LinkNumber) {
        guard let member = member(on: link) else { return event.noteTaken() }
        switch event.effect {
        case .message(let bytes):
            member.counts.noteReceived(bytes.count)
            return tell(.message(Message(bytes: bytes), member.member), event)
        case .incomingFile(.offered(let offer)):
            member.transfers.report(event.effect)
            tell(.file(OfferedFile(offer, from: member)))
        case .stream(.opened(let stream, let name)):
            tell(.stream(PeerStream(stream, named: name, member, isOwn: false)))
        case .closed(.finished(let unsent)): noteUnsent(unsent, on: link)
        default: member.transfers.report(event.effect)
        }
        event.noteTaken()
    }
}
