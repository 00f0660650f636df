public import MultipeerCrypto
public import MultipeerWire

/// What the transport reports and takes.
extension Node {
    /// A peer has connected.
    /// - Parameters:
    ///   - isWithinHost: Whether the link does not leave this host: it is one between loopback addresses, or over a Unix domain socket.
    ///     Loopback addresses in entries are dialled only if these have come over such a link (R14.8-4).
    ///   - group: The group that listens where the peer has connected; nil if it is not known which one answers.
    ///   - now: The time.
    public mutating func accepted(
        isWithinHost: Bool = false, for group: GroupNumber? = nil, at now: Instant
    ) -> LinkNumber {
        begin(at: now)
        defer { settle() }
        makeRoomForHandshake()
        var configuration = self.configuration.link
        (configuration.expectedPeer, configuration.expectedTag) = (nil, nil)
        return add(.responder, configuration, origin: .accepted, at: nil, isWithinHost, for: group).number
    }

    /// A peer that has shown no PROOF yet holds a place (SPEC §19). The oldest gives it up: peers that say nothing must not keep
    /// everybody else out.
    private mutating func makeRoomForHandshake() {
        let halfOpen = links.all.filter { $0.link.provedPeer == nil && $0.isAlive && $0.link.role == .responder }
        for link in halfOpen.prefix(max(0, halfOpen.count + 1 - max(configuration.maximumHandshakes, 1))) {
            link.link.fail(.noRoom, at: now)
        }
    }

    /// As many more peers that connect may be without PROOF at once from now on, or fewer: what listens has this many places for them.
    public mutating func changeMaximumHandshakes(by count: Int) {
        environment.configuration.maximumHandshakes += count
    }

    /// The app has connected to somebody; to a certain peer, if it says so (R9.5-4), or to one whose key has a certain tag (R23.5-1).
    /// - Parameters:
    ///   - peer: The key that the peer has to have; nil for any key.
    ///   - tag: The tag that its key has to have; nil for any.
    ///   - place: Where it has connected to; nil if that is not known. A link that breaks is made again there (SPEC §13.9).
    ///   - isWithinHost: As in ``accepted(isWithinHost:for:at:)``.
    ///   - group: The group that waits to be invited on it, if one does.
    ///   - now: The time.
    public mutating func opened(
        expecting peer: IdentityKey? = nil, tagged tag: KeyTag? = nil, place: MemberAddress? = nil,
        isWithinHost: Bool = false, for group: GroupNumber? = nil, at now: Instant
    ) -> LinkNumber {
        begin(at: now)
        defer { settle() }
        var configuration = self.configuration.link
        (configuration.expectedPeer, configuration.expectedTag) = (peer, tag)
        return add(.initiator, configuration, origin: .opened, at: place, isWithinHost, for: group).number
    }

    /// The connection is there that ``NodeEffect/dial(_:_:)`` asked for. Nil if nobody needs it any more: close it.
    /// - Parameters:
    ///   - number: Which one.
    ///   - isWithinHost: As in ``accepted(isWithinHost:for:at:)``.
    ///   - now: The time.
    public mutating func connected(
        _ number: DialNumber, isWithinHost: Bool = false, at now: Instant
    ) -> LinkNumber? {
        begin(at: now)
        defer { settle() }
        if let link = resumed(by: number) { return link.number }
        guard let attempt = attempts.connected(number) else { return nil }
        if let held = sessions[attempt.session],
            let reconnection = reconnection(to: attempt.member, in: held.affiliation)
        {
            return resumed(reconnection, by: attempt)?.number
        }
        guard let session = sessions[attempt.session], let invitation = memberInvitation(in: session) else {
            attempts.failed(number)
            return nil
        }
        var configuration = self.configuration.link
        (configuration.expectedPeer, configuration.expectedTag) = (attempt.member, nil)
        let link = add(
            .initiator, configuration, origin: .dialled(attempt), at: attempt.address, isWithinHost, for: session.group)
        link.state = .preparing(invitation)
        do throws(RequestError) {
            // It goes out with PROOF, once the member has shown its own (R14.8-7).
            try link.link.invite(invitation.invitation, at: now)
        } catch {
            close(link, .unneeded)
        }
        return link.number
    }

    /// No connection could be made.
    public mutating func failed(_ number: DialNumber, at now: Instant) {
        begin(at: now)
        defer { settle() }
        guard reconnections.end(number) == nil else { return }
        attempts.failed(number)
    }

    /// A link on which an association is to continue.
    mutating func addLink(
        expecting member: IdentityKey, at place: MemberAddress, for group: GroupNumber?, origin: NodeLink.Origin
    ) -> NodeLink {
        var configuration = self.configuration.link
        (configuration.expectedPeer, configuration.expectedTag) = (member, nil)
        return add(.initiator, configuration, origin: origin, at: place, false, for: group)
    }

    private mutating func add(
        _ role: LinkRole, _ configuration: LinkConfiguration, origin: NodeLink.Origin, at place: MemberAddress?,
        _ isWithinHost: Bool, for group: GroupNumber?
    ) -> NodeLink {
        let link = NodeLink(
            links.nextNumber(),
            Link(role: role, configuration: configuration, random: environment.random, now: now), in: links.changes,
            origin: origin, expected: configuration.expectedPeer, at: place, isWithinHost: isWithinHost, for: group)
        if let book { link.link.attach(book) }
        links.add(link)
        return link
    }

    // MARK: Bytes

    /// Takes bytes of a link's stream, in whatever pieces. A link that is over takes none.
    public mutating func receive(_ bytes: Span<UInt8>, on number: LinkNumber, at now: Instant) {
        defer { settle() }
        reach(number, at: now)?.link.receive(bytes, at: now)
    }

    /// A link's transport has ended for receiving.
    public mutating func receiveEnd(on number: LinkNumber, at now: Instant) {
        defer { settle() }
        reach(number, at: now)?.link.receiveEnd(at: now)
    }

    /// The transport of a link is gone, both ways. Nothing more comes for this number but its end.
    public mutating func disconnected(_ number: LinkNumber, at now: Instant) {
        begin(at: now)
        defer { settle() }
        guard let link = links[number] else { return }
        link.link.receiveEnd(at: now)
        noteProof(of: link)
        while let effect = link.nextEffect() { take(effect, of: link) }
        if links[number] != nil { release(link) }
    }

    /// Writes the bytes that a link's transport should carry next. Call it until it writes nothing, with 65,535 bytes of room
    /// or more.
    @_lifetime(output: copy output)
    public mutating func transmit(on number: LinkNumber, into output: inout OutputSpan<UInt8>, at now: Instant) {
        defer { settle() }
        reach(number, at: now)?.link.transmit(into: &output, at: now)
    }

    /// Whether a link has something to transmit.
    public func hasOutput(on number: LinkNumber) -> Bool { links[number]?.link.hasOutput ?? false }

    /// Whether a link sends nothing more: close its transport for sending once all is transmitted.
    public func isOutputFinished(on number: LinkNumber) -> Bool { links[number]?.link.isOutputFinished ?? true }
}

/// For drivers of this package, which use the links of a node as they use links of their own.
extension Node {
    /// A link, to be used until ``NodeEffect/released(_:)``. Messages, streams and files are the driver's; invitations, verdicts
    /// and closing are requests to the node. ``settle(at:)`` follows whatever changes it.
    package func handle(of number: LinkNumber) -> LinkHandle? { links[number]?.handle }

    /// The peer of a link, once its key is proved.
    package func peer(of number: LinkNumber) -> IdentityKey? { links[number]?.link.provedPeer }

    /// How many open links a group has to a peer.
    package func openLinkCount(to peer: IdentityKey, in group: GroupNumber) -> Int {
        links.links(of: peer).count { $0.isAlive && $0.isOpen && $0.group == group }
    }

    /// Whether there is a link to a peer whose end was not reported.
    package func hasLink(to peer: IdentityKey) -> Bool { links.links(of: peer).contains { !$0.isEnded } }

    /// The other links of a link's group to its peer (SPEC §8.7).
    package func links(beside number: LinkNumber) -> [LinkNumber] {
        links[number].map { others(of: $0).map(\.number) } ?? []
    }

    /// The session that a link is for, as far as there is one.
    package func session(of number: LinkNumber) -> SessionID? { links[number]?.session }

    /// Whether a link is in a session, or in another one of its group.
    package func isOfGroup(_ number: LinkNumber, _ session: SessionID) -> Bool {
        links[number].map { isOfGroup($0, session) } ?? false
    }

    /// Whether a link is in a session of a group.
    package func isOfGroup(_ number: LinkNumber, _ group: GroupNumber) -> Bool {
        guard let session = links[number]?.session else { return false }
        return sessions[session]?.group == group
    }

    /// The branch of a link's peer in its session, once that is known (SPEC §14.4).
    package func branch(of number: LinkNumber) -> IdentityKey? {
        guard let link = links[number], let session = link.session, let key = link.key else { return nil }
        return sessions[session]?.entry(of: key)?.branch
    }

    /// Whether a link has changed since the node looked at it.
    package var hasChangedLinks: Bool { links.hasUnsettled }

    /// Carries out what the links say that have changed.
    package mutating func settle(at now: Instant) {
        begin(at: now)
        settle()
    }
}
