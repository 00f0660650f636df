public import MultipeerCrypto
import MultipeerWire

/// Messages of members (SPEC §15.1). What is sent to several goes to each of them over its own link.
extension Node {
    /// What became of a message that was given for one member.
    public enum SendOutcome: Hashable, Sendable {
        /// It is queued. Its end comes by ``LinkEffect/messages(_:_:)`` of this link, under this tag.
        case queued(LinkNumber, MessageTag)
        /// It is not: nothing of it is ever sent.
        case refused(NodeRequestError)
    }

    /// The members that a message is for.
    public enum Recipients: Hashable, Sendable {
        /// All members to which there is an open link.
        case all
        /// These members.
        case members([IdentityKey])
    }

    /// Queues a message for members of a session, and says for each of them whether it is queued.
    /// - Throws: ``NodeRequestError/unknownSession``.
    public mutating func send(
        _ message: [UInt8], to recipients: Recipients, in session: SessionID, at now: Instant
    ) throws(NodeRequestError) -> [(member: IdentityKey, outcome: SendOutcome)] {
        begin(at: now)
        defer { settle() }
        _ = try known(session)
        var outcomes: [(member: IdentityKey, outcome: SendOutcome)] = []
        for member in self.members(recipients, of: session) {
            outcomes.append((member, send(message, to: member, in: session)))
        }
        return outcomes
    }

    private func members(_ recipients: Recipients, of session: SessionID) -> [IdentityKey] {
        switch recipients {
        case .all: openLinks.filter { isOfGroup($0, session) }.compactMap(\.key)
        case .members(let members): members
        }
    }

    private mutating func send(_ message: [UInt8], to member: IdentityKey, in session: SessionID) -> SendOutcome {
        guard let number = link(to: member, in: session), let link = links[number] else {
            return sendLater(message, to: member, in: session)
        }
        do throws(RequestError) {
            return .queued(number, try link.link.send(message, at: now))
        } catch {
            return .refused(.link(error))
        }
    }

    /// The member may be back soon: the message waits for the link.
    private mutating func sendLater(_ message: [UInt8], to member: IdentityKey, in session: SessionID) -> SendOutcome {
        guard let held = sessions[session],
            let reconnection = reconnections.reconnections(to: member).first(where: {
                $0.affiliation.isOneGroup(with: held.affiliation)
            })
        else { return .refused(.notConnected) }
        let maximum = reconnection.association.terms.summary.peerMaximumMessage
        guard UInt64(message.count) <= maximum else { return .refused(.link(.messageTooLong(maximum: maximum))) }
        guard let tag = reconnection.association.withParked({ $0.send(message) }) else {
            return .refused(.notConnected)
        }
        return .queued(reconnection.link, tag)
    }

    /// Takes a message back of which nothing has been sent. Returns whether that was so.
    public mutating func takeBack(_ message: MessageTag, on number: LinkNumber, at now: Instant) -> Bool {
        defer { settle() }
        return reach(number, at: now)?.link.takeBack(message, at: now) ?? false
    }

    /// The app has taken messages, of a link that may have ended since (R13.5-6).
    public mutating func releaseCredit(_ credit: UInt64, on number: LinkNumber, at now: Instant) {
        begin(at: now)
        defer { settle() }
        let number = reconnections.newest(number)
        if let reconnection = reconnections.reconnection(of: number) {
            reconnection.untaken.releaseCredit(.messages(credit))
            var effects = EffectQueue()
            reconnection.association.withParked { $0.releaseCredit(credit, at: now, into: &effects) }
            return
        }
        guard let link = links[number], !link.isEnded else { return releaseUnconsumed(.messages(credit), number) }
        link.untaken.releaseCredit(.messages(credit))
        link.link.releaseCredit(credit, at: now)
    }

    /// The app has taken bytes of a stream, of a link that may have ended since (R13.5-6).
    public mutating func releaseCredit(_ count: Int, of stream: StreamID, on number: LinkNumber, at now: Instant) {
        begin(at: now)
        defer { settle() }
        let number = reconnections.newest(number)
        if let reconnection = reconnections.reconnection(of: number) {
            reconnection.untaken.releaseCredit(.stream(stream, count))
            reconnection.association.withParked { $0.releaseCredit(count, of: stream) }
            return
        }
        guard let link = links[number], !link.isEnded else { return releaseUnconsumed(.stream(stream, count), number) }
        link.untaken.releaseCredit(.stream(stream, count))
        link.link.releaseCredit(count, of: stream, at: now)
    }

    /// A peer of which too much was left may be dialled again.
    private mutating func releaseUnconsumed(_ take: UnconsumedCredit.Take, _ number: LinkNumber) {
        guard let owner = unconsumed.releaseCredit(take, on: number), let session = sessions[owner.session] else {
            return
        }
        for held in sessions.group(of: session) { reconsider(owner.member, in: held) }
    }

    /// There is memory for a message that wanted it (``LinkEffect/memoryWanted(_:)``).
    public mutating func grantMemory(_ count: UInt64, on number: LinkNumber, at now: Instant) {
        defer { settle() }
        reach(number, at: now)?.link.grantMemory(count, at: now)
    }
}

extension Node {
    /// Bytes of messages that wait to be sent on a link.
    public func queuedByteCount(on number: LinkNumber) -> Int { links[number]?.link.queuedByteCount ?? 0 }

    /// The time from the last PING that the peer of a link answered to its answer (SPEC §13.7).
    public func roundTrip(on number: LinkNumber) -> Duration? { links[number]?.link.roundTrip }

    /// How far a link has come. One that is not there any more is closed.
    public func stage(of number: LinkNumber) -> LinkStage { links[number]?.link.stage ?? .closed }
}
