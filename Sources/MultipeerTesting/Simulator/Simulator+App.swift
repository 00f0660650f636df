import MultipeerCertificates
public import MultipeerCore
public import MultipeerCrypto
public import MultipeerWire

/// What apps do, and how they answer.
extension Simulator {
    // MARK: Requests

    /// A host founds a session.
    public func found(_ host: SimulatedHost, _ parameters: CharterParameters = CharterParameters()) -> SessionID? {
        var session: SessionID?
        attempt("found") { () throws(NodeRequestError) in session = try host.node.found(parameters, at: now) }
        pump(host)
        return session
    }

    /// A host leaves a session.
    public func leave(_ host: SimulatedHost, _ session: SessionID) {
        attempt("leave") { () throws(NodeRequestError) in try host.node.leave(session, at: now) }
        pump(host)
    }

    /// A host comes back to a session.
    public func comeBack(_ host: SimulatedHost, to session: SessionID) {
        attempt("come back") { () throws(NodeRequestError) in try host.node.comeBack(to: session, at: now) }
        pump(host)
    }

    /// A host sends a message to all members that it is linked to, or to some. Those that are not linked are passed over.
    public func send(
        _ message: [UInt8], from host: SimulatedHost, to recipients: Node.Recipients = .all, in session: SessionID
    ) {
        attempt("send") { () throws(NodeRequestError) in
            for (member, outcome) in try host.node.send(message, to: recipients, in: session, at: now) {
                guard case .queued(let link, let tag) = outcome else { continue }
                host.app.places[SimulatedApp.Place(link: link, tag: tag.number)] = host.app.sent.count
                host.app.sent.append(SimulatedApp.Sent(to: member, message: message, result: nil))
            }
        }
        pump(host)
    }

    /// Does something with a node, and what follows from it.
    /// - Throws: What `body` throws.
    public func act<Failure: Error>(
        _ host: SimulatedHost, _ body: (inout Node) throws(Failure) -> Void
    ) throws(Failure) {
        defer { pump(host) }
        try body(&host.node)
    }

    // MARK: Answers

    func react(to effect: NodeEffect, on host: SimulatedHost) {
        switch effect {
        case .dial(let dial, let address):
            if let id = SimulatedHost.id(at: address) { host.dials[id, default: 0] += 1 }
            events.append(.connect(host, run: host.run, dial, address), at: now.advanced(by: latency()))
        case .released(let link): release(link, of: host)
        case .invited(let link, _, let invitation): answer(invitation, on: link, of: host)
        case .verify(let link, let token, let evidence):
            guard let verdict = host.app.verdict(on: evidence.peer.key) else { return }
            answer("verdict", on: link, of: host) { () throws(NodeRequestError) in
                try host.node.submitVerdict(verdict, for: token, on: link, at: now)
            }
        case .payload(let link, let effect): react(to: effect, on: link, of: host)
        case .connected(_, let link, let summary, let isReplacement):
            host.app.peers[link] = summary.peer.key
            host.app.events.append(.connected(summary.peer.key, isReplacement: isReplacement))
        case .departed(_, let member, let why, let end):
            host.app.events.append(.departed(member, why))
            host.app.ends.append((member, end))
        case .contradiction(_, let member): host.app.events.append(.contradiction(member))
        case .twinSuspected: host.app.events.append(.twinSuspected)
        case .verification(let link, let event): host.app.verifications.append((link, event))
        case .placeLost: host.app.events.append(.placeLost)
        case .signingFailed(_, let failure): faults.append("\(host.name) cannot sign: \(failure)")
        case .identified, .cancelDial, .invitationReplaced, .invitationsMerged, .notInvited, .codeExpired, .closed,
            .memberChanged:
            break
        }
    }

    private func answer(_ invitation: ReceivedInvitation, on link: LinkNumber, of host: SimulatedHost) {
        host.app.asked.append(invitation.kind)
        if host.app.declines {
            answer("decline", on: link, of: host) { () throws(NodeRequestError) in
                try host.node.decline(link, at: now)
            }
        } else if let terms = host.app.terms {
            answer("accept", on: link, of: host) { () throws(NodeRequestError) in
                try host.node.accept(link, with: terms, at: now)
            }
        } else {
            host.app.questions.append(link)
        }
    }

    private func react(to effect: LinkEffect, on link: LinkNumber, of host: SimulatedHost) {
        switch effect {
        case .message(let message):
            if let sender = host.app.peers[link] { host.app.received[sender, default: []].append(message) }
            guard host.app.takesMessages else { return }
            host.node.releaseCredit(Link.messageCredit(ofLength: message.count), on: link, at: now)
        case .messages(let range, let result): host.app.settle(range, result, on: link)
        case .memoryWanted(let count): host.node.grantMemory(count, on: link, at: now)
        case .stream(.data(let stream, let bytes)): host.node.releaseCredit(bytes.count, of: stream, on: link, at: now)
        case .stream(.ended(let stream, _)): host.node.tookEnd(of: stream, on: link, at: now)
        case .trace(let entry): onTrace?(host, entry)
        case .identified, .invited, .invitationsMerged, .invitationAccepted, .verify, .verification, .opened,
            .memoryReturned, .messageStalled, .stream, .incomingFile, .outgoingFile, .closed:
            break
        }
    }
}
