import MultipeerCertificates
public import MultipeerCore
public import MultipeerCrypto
import MultipeerDriver
public import MultipeerWire

/// What apps do, and how they answer.
extension Simulator {
    // MARK: Requests

    /// A host founds a session.
    public func found(_ host: SimulatedHost, _ parameters: CharterParameters = CharterParameters()) -> SessionID? {
        var session: SessionID?
        attempt("found", on: host) { (node) throws(NodeRequestError) in
            session = try node.found(parameters, in: host.group, at: now)
        }
        pump(host)
        return session
    }

    /// A host leaves a session.
    public func leave(_ host: SimulatedHost, _ session: SessionID) {
        endSession(host, session)
        pump(host)
    }

    private func endSession(_ host: SimulatedHost, _ session: SessionID) {
        do throws(NodeRequestError) {
            try host.program.driver.leave(session, at: now)
        } catch {
            faults.append("leave: \(error)")
        }
    }

    /// A host comes back to a session.
    public func comeBack(_ host: SimulatedHost, to session: SessionID) {
        attempt("come back", on: host) { (node) throws(NodeRequestError) in try node.comeBack(to: session, at: now) }
        pump(host)
    }

    /// A host sends a message to all members that it is linked to.
    public func send(_ message: [UInt8], from host: SimulatedHost, in session: SessionID) {
        enqueue(message, from: host, in: session)
        pump(host)
    }

    /// A host leaves a session as soon as it has sent a message to all members that it is linked to, there and in other sessions of its
    /// group.
    public func leave(
        _ host: SimulatedHost, _ session: SessionID, afterSending message: [UInt8], alsoIn others: [SessionID] = []
    ) {
        let drivers = ([session] + others).flatMap { enqueue(message, from: host, in: $0) }
        endSession(host, session)
        requireQueued(drivers, of: host)
        pump(host)
    }

    /// The drivers of the links do not know of the message before they look. Returns them.
    @discardableResult
    private func enqueue(_ message: [UInt8], from host: SimulatedHost, in session: SessionID) -> [LinkDriver] {
        var drivers: [LinkDriver] = []
        for member in host.node.members(of: session) {
            // What is sent between two links waits.
            guard let link = host.node.link(to: member, in: session) ?? host.app.lost[member],
                let driver = host.program.drivers[link]
            else { continue }
            // One that is about to end takes nothing more.
            guard let sent = try? driver.sends.enqueue(message) else { continue }
            host.app.sent.append(SimulatedApp.Sent(to: member, message: message, run: host.run, place: sent))
            drivers.append(driver)
        }
        return drivers
    }

    /// What was sent before an app ended links has to be with these links by now.
    private func requireQueued(_ drivers: [LinkDriver], of host: SimulatedHost) {
        guard drivers.contains(where: { $0.sends.hasAccepted }) else { return }
        faults.append("\(host.name) has ended a link before the messages that it sent over it")
    }

    /// A host takes all messages that wait, and later ones as they come. Some may be of links that have ended since.
    public func takeMessages(_ host: SimulatedHost) {
        for event in host.app.untaken { event.consume() }
        host.app.untaken = []
        host.app.takesMessages = true
        pump(host)
    }

    /// A host closes its link to another one as soon as it has sent a message to all members that it is linked to.
    public func close(
        _ link: LinkNumber, of host: SimulatedHost, in session: SessionID, afterSending message: [UInt8]
    ) {
        enqueue(message, from: host, in: session)
        host.program.driver.close(link, at: now)
        requireQueued(host.program.transports[link].map { [$0.driver] } ?? [], of: host)
        pump(host)
    }

    /// Does something with a node, and what follows from it.
    /// - Throws: What `body` throws.
    public func act<Failure: Error>(
        _ host: SimulatedHost, _ body: (inout Node) throws(Failure) -> Void
    ) throws(Failure) {
        defer { pump(host) }
        try request(of: host, body)
    }

    /// Does something with a node. The app knows the sessions that it has founded or entered by that.
    func request<Failure: Error>(
        of host: SimulatedHost, _ body: (inout Node) throws(Failure) -> Void
    ) throws(Failure) {
        try host.program.driver.perform(at: now) { (node, _) throws(Failure) in
            let before = Set(node.sessionIDs)
            defer { host.app.known.formUnion(Set(node.sessionIDs).subtracting(before)) }
            try body(&node)
        }
    }

    // MARK: Answers

    func react(to event: SimulatedProgram.Event, on host: SimulatedHost) {
        switch event {
        case .node(let effect): react(to: effect, on: host)
        case .link(let link, let event): react(to: event, on: link, of: host)
        }
    }

    private func react(to effect: NodeEffect, on host: SimulatedHost) {
        switch effect {
        case .invited(let link, _, let invitation): answer(invitation, on: link, of: host)
        case .connected(let session, let link, let summary, let isReplacement):
            host.app.peers[link] = summary.peer.key
            host.app.shown[summary.peer.key] = session
            host.app.lost[summary.peer.key] = nil
            host.app.known.insert(session)
            host.app.events.append(.connected(summary.peer.key, isReplacement: isReplacement))
        case .departed(let session, let member, let why, let end):
            if host.app.shown[member] == session { host.app.shown[member] = nil }
            host.app.lost[member] = nil
            host.app.events.append(.departed(member, why))
            host.app.ends.append((member, end))
        case .contradiction(_, let member): host.app.events.append(.contradiction(member))
        case .twinSuspected: host.app.events.append(.twinSuspected)
        case .verification(let link, let event): host.app.verifications.append((link, event))
        case .placeLost: host.app.events.append(.placeLost)
        case .signingFailed(_, let failure): faults.append("\(host.name) cannot sign: \(failure)")
        case .payload(_, .trace(let entry)): onTrace?(host, entry)
        case .moved(let link, let session):
            if let member = host.app.peers[link], host.app.shown[member] != nil { host.app.shown[member] = session }
            // What happens to the member from now on, the app hears of that session.
            if !host.app.known.contains(session) { faults.append("\(host.name) has not heard where \(link) is") }
        case .followed(_, into: let session): host.app.known.insert(session)
        // Its answer to an earlier invitation holds for this one (R8.2-10).
        case .invitationAccepted(_, let invitation, into: _): host.app.known.insert(invitation.session)
        case .reconnecting(_, let member, let link):
            host.app.lost[member] = link
            host.app.events.append(.reconnecting(member))
        case .resumed(let earlier, by: let link): host.app.peers[link] = host.app.peers[earlier]
        case .united, .staysApart, .left: break
        case .dial, .cancelDial, .released, .verify, .payload:
            faults.append("\(host.name) hears what its driver should have kept: \(effect)")
        case .notInvited(let link, _): host.app.notInvited.insert(link)
        case .callEnded(let link, let outcome):
            host.app.calls[link, default: []].append(outcome)
            if case .connected(let key) = outcome, host.app.shown[key] == nil {
                faults.append("\(host.name) hears that its call has connected a peer of which it has heard nothing")
            }
        case .closed(let link, let end): host.app.closed.append((link, end))
        case .identified, .visited, .invitationReplaced, .codeExpired,
            .memberChanged:
            break
        }
    }

    private func answer(_ invitation: ReceivedInvitation, on link: LinkNumber, of host: SimulatedHost) {
        host.app.asked.append(invitation.kind)
        if host.app.declines {
            answer("decline", on: link, of: host) { (node) throws(NodeRequestError) in
                try node.decline(link, at: now)
            }
        } else if let terms = host.app.terms {
            answer("accept", on: link, of: host) { (node) throws(NodeRequestError) in
                try node.accept(link, into: host.group, with: terms, at: now)
            }
        } else {
            host.app.questions.append(link)
        }
    }

    private func react(to event: ReceiptedEvent, on link: LinkNumber, of host: SimulatedHost) {
        switch event.effect {
        case .message(let message):
            if let sender = host.app.peers[link] { host.app.received[sender, default: []].append(message) }
            if host.app.takesMessages { event.consume() } else { host.app.untaken.append(event) }
        case .verify(let token, let evidence):
            guard let verdict = host.app.verdict(on: evidence.peer.key) else { return }
            answer("verdict", on: link, of: host) { (node) throws(NodeRequestError) in
                try node.submitVerdict(verdict, for: token, on: link, at: now)
            }
        default: break
        }
    }
}
