public import MultipeerCertificates
public import MultipeerCore
public import MultipeerCrypto
public import MultipeerWire

/// A driver of a `Node` and of all its links, over any transport. Like ``LinkDriver`` it uses no socket, no loop and no clock.
///
/// For each connection the adapter asks for a ``LinkDriver`` (``accepted(origin:isWithinHost:for:at:)``, ``opened(expecting:tagged:place:origin:isWithinHost:for:at:)``,
/// ``connected(_:origin:isWithinHost:at:)``) and uses it as it uses one of a single link. One thread does all of this. When
/// ``onWork`` is called, it does as soon as it can:
///
/// ```swift
/// while let order = node.nextOrder() { /* connect, or stop connecting */ }
/// while let link = node.nextReady() { /* drain the driver of that link */ }
/// alarm.set(to: node.deadline)                            // calls timeout(at:)
/// ```
public final class NodeDriver {
    /// Called when there are orders, links to be drained or an earlier deadline. It may be called inside of any input.
    public var onWork: (() -> Void)?
    /// Returns what verifies the peers of a session; nil for the validator of all sessions (`DriverOptions.validator`).
    public var validator: ((SessionID) -> (any CertificateValidator)?)?

    /// The node, to be asked. ``perform(at:_:)`` changes it.
    package private(set) var node: Node
    private let options: DriverOptions
    private let onEvent: @Sendable (NodeEffect) -> Void
    private let patience: Duration
    private var drivers: [LinkNumber: LinkDriver] = [:]
    /// Those of lost links whose transports are closed, while other links may continue them (SPEC §13.9).
    private var suspended: [LinkNumber: LinkDriver] = [:]
    /// What the app has not taken of links that are over.
    private var lateQueues: [LinkNumber: EventQueue] = [:]
    private var onLateReceipt: (@Sendable () -> Void)?
    private var orders = DrainQueue<NodeOrder>()
    private var ready = DrainQueue<LinkNumber>()
    private var isSettling = false
    private var announcedDeadline: Instant?

    /// Creates a driver of a node without sessions. `onEvent` takes what the app hears of links, invitations and members, in order,
    /// on the driver's thread: all effects but those that the driver carries out itself, which are dialling, verdicts of a validator and
    /// the payload of links. Payload waits in ``LinkDriver/events`` of each link, traces apart.
    public init(
        configuration: NodeConfiguration, options: DriverOptions, now: Instant,
        onEvent: @escaping @Sendable (NodeEffect) -> Void
    ) {
        var configuration = configuration
        configuration.link = LinkMemory.limited(configuration.link, to: options.memoryPools)
        self.options = options
        self.onEvent = onEvent
        patience = configuration.link.timeouts.closing
        node = Node(configuration: configuration, random: options.random, now: now)
    }

    /// Sets what is called, from any thread, when the app has taken something of a link that is over. It leads to
    /// ``lateReceipts(at:)``.
    public func setLateReceipt(_ onLateReceipt: @escaping @Sendable () -> Void) { self.onLateReceipt = onLateReceipt }

    // MARK: Outputs

    /// The next order; nil when all are carried out.
    public func nextOrder() -> NodeOrder? { orders.next() }

    /// The next link whose driver has to be drained.
    public func nextReady() -> LinkNumber? { ready.next() }

    /// When to call ``timeout(at:)``.
    public var deadline: Instant? {
        announcedDeadline = node.deadline
        return announcedDeadline
    }

    /// The driver of a link, until its transport is closed.
    public func driver(of link: LinkNumber) -> LinkDriver? { drivers[link] }

    // MARK: Connections

    /// A peer has connected. Nil if the node does not want the connection: close it.
    /// - Parameters:
    ///   - origin: Where it comes from, as far as that is known.
    ///   - isWithinHost: Whether the link does not leave this host (`Node.accepted(isWithinHost:for:at:)`).
    ///   - group: The group that listens there; nil if it is not known which one answers.
    ///   - now: The time.
    public func accepted(
        origin: PeerOrigin?, isWithinHost: Bool = false, for group: GroupNumber? = nil, at now: Instant
    ) -> (LinkNumber, LinkDriver)? {
        drive(node.accepted(isWithinHost: isWithinHost, for: group, at: now), origin, at: now)
    }

    /// The app has connected to somebody (`Node.opened(expecting:tagged:place:isWithinHost:for:at:)`). Nil as above.
    public func opened(
        expecting peer: IdentityKey? = nil, tagged tag: KeyTag? = nil, place: MemberAddress? = nil,
        origin: PeerOrigin?, isWithinHost: Bool = false, for group: GroupNumber? = nil, at now: Instant
    ) -> (LinkNumber, LinkDriver)? {
        let number = node.opened(
            expecting: peer, tagged: tag, place: place, isWithinHost: isWithinHost, for: group, at: now)
        return drive(number, origin, at: now)
    }

    /// The connection is there that an order asked for; nil if nobody needs it any more: close it.
    public func connected(
        _ dial: DialNumber, origin: PeerOrigin?, isWithinHost: Bool = false, at now: Instant
    ) -> (LinkNumber, LinkDriver)? {
        defer { settle(at: now) }
        return node.connected(dial, isWithinHost: isWithinHost, at: now).flatMap { drive($0, origin, at: now) }
    }

    /// The branch of a link's peer in its session, once that is known (SPEC §14.4).
    func branch(of number: LinkNumber) -> IdentityKey? { node.branch(of: number) }

    /// No connection could be made.
    public func failed(_ dial: DialNumber, at now: Instant) {
        node.failed(dial, at: now)
        settle(at: now)
    }

    /// Makes the driver of a new link, unless the node has dropped it at once.
    private func drive(_ number: LinkNumber, _ origin: PeerOrigin?, at now: Instant) -> (LinkNumber, LinkDriver)? {
        guard let handle = node.handle(of: number) else { return nil }
        var options = options
        options.origin = origin
        // Credit bounds what waits of each link (SPEC §13.3).
        let driver = LinkDriver(
            handle, number, of: self, closing: patience, events: EventQueue(watermarks: .unbounded), options: options)
        drivers[number] = driver
        settle(at: now)
        return (number, driver)
    }

    // MARK: Time and requests

    /// Lets whatever is due happen.
    public func timeout(at now: Instant) {
        node.timeout(at: now) { drivers[$0]?.holdsUnread ?? false }
        settle(at: now)
    }

    /// Asks the node for something, and lets it happen.
    public func perform<Result: ~Copyable, Failure>(
        at now: Instant, _ request: (inout Node, Instant) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { settle(at: now) }
        return try request(&node, now)
    }

    /// Leaves a session (`Node.leave(_:at:)`). Messages that were sent before leave before.
    /// - Throws: `NodeRequestError`.
    public func leave(_ session: SessionID, at now: Instant) throws(NodeRequestError) {
        defer { settle(at: now) }
        for (number, driver) in drivers where node.isOfGroup(number, session) { driver.queueLastMessages(at: now) }
        try node.leave(session, at: now)
    }

    /// Leaves all sessions of a group (`Node.leave(_:at:)`). Messages that were sent before leave before.
    public func leave(_ group: GroupNumber, at now: Instant) {
        defer { settle(at: now) }
        for (number, driver) in drivers where node.isOfGroup(number, group) { driver.queueLastMessages(at: now) }
        node.leave(group, at: now)
    }

    /// Closes a link (`Node.close(_:_:at:)`). Messages that were sent before leave before.
    public func close(_ number: LinkNumber, _ code: CloseCode = .noError, at now: Instant) {
        drivers[number]?.queueLastMessages(at: now)
        node.close(number, code, at: now)
        settle(at: now)
    }

    /// The same for a driver that has queued its last messages, and is drained after this.
    func closeLink(_ number: LinkNumber, _ code: CloseCode, at now: Instant) {
        node.close(number, code, at: now)
        settle(at: now, draining: number)
    }

    /// A judgement of the peer that another link of the group to it has asked for.
    func judgement(of evidence: PeerEvidence, beside number: LinkNumber) -> Judgement? {
        node.links(beside: number).lazy.compactMap { self.drivers[$0]?.verification?.judgement }
            .first { $0.holds(for: evidence) }
    }

    /// The verdict of a link's validator, for a driver that is being drained. One that comes too late changes nothing (R10.5-1).
    func submitVerdict(_ verdict: Verdict, for token: LinkToken, on number: LinkNumber, at now: Instant) {
        try? node.submitVerdict(verdict, for: token, on: number, at: now)
        settle(at: now, draining: number)
    }

    /// The program ends: open links are closed in good order, and others hear why.
    public func shutDown(at now: Instant) {
        for number in drivers.keys.sorted() { drivers[number]?.shutDown(at: now) }
        for number in suspended.keys.sorted() { suspended[number]?.shutDown(at: now) }
    }

    /// The app has taken something of links that are over.
    public func lateReceipts(at now: Instant) {
        for (number, queue) in lateQueues {
            releaseCredit(queue.takeConsumed(), of: number, at: now)
            if queue.isSettled { lateQueues[number] = nil } else { expectLateReceipts(queue) }
        }
        settle(at: now)
    }

    /// The app has taken messages and bytes of streams, which count also when the link is over (R13.5-6).
    func releaseCredit(_ receipts: ConsumedCredit, of number: LinkNumber, at now: Instant) {
        if receipts.messages > 0 { node.releaseCredit(receipts.messages, on: number, at: now) }
        for (stream, count) in receipts.streamBytes { node.releaseCredit(count, of: stream, on: number, at: now) }
    }

    private func expectLateReceipts(_ queue: EventQueue) {
        guard let onLateReceipt else { return }
        queue.expectLateReceipts(onLateReceipt)
    }

    // MARK: Settling

    /// Lets the node see what has changed, and passes on what it says, until nothing is left. The adapter drains the link of the number.
    func settle(at now: Instant, draining number: LinkNumber? = nil) {
        guard !isSettling else { return }
        isSettling = true
        repeat {
            if node.hasChangedLinks { node.settle(at: now) }
            while let effect = node.nextEffect() { carryOut(effect, at: now) }
            // A driver may have answered at once.
        } while node.hasChangedLinks
        isSettling = false
        announce(except: number)
    }

    /// A link that is being drained needs no reminder.
    private func announce(except current: LinkNumber?) {
        while let number = node.nextReady() {
            if number != current { ready.append(number) }
        }
        if !ready.isEmpty || !orders.isEmpty || isDeadlineEarlier { onWork?() }
    }

    private var isDeadlineEarlier: Bool {
        guard let next = node.deadline else { return false }
        return announcedDeadline.map { next < $0 } ?? true
    }

    private func carryOut(_ effect: NodeEffect, at now: Instant) {
        switch effect {
        case .dial(let number, let address): orders.append(.dial(number, address))
        case .cancelDial(let number): orders.append(.cancelDial(number))
        // The driver of the link closes the transport.
        case .released(let number): ready.append(number)
        case .identified(let number, let peer):
            deliver(.identified(peer), to: number, at: now)
            onEvent(effect)
        case .verify(let number, let token, let evidence):
            if let session = node.session(of: number), let validator = validator?(session) {
                drivers[number]?.validator = validator
            }
            deliver(.verify(token, evidence), to: number, at: now)
        case .closed(let number, let end):
            deliver(.closed(end), to: number, at: now)
            if let driver = suspended.removeValue(forKey: number) { finish(driver, of: number, at: now) }
            onEvent(effect)
        case .reconnecting(_, _, let number):
            drivers[number]?.suspend()
            onEvent(effect)
        case .resumed(let earlier, by: let number):
            if let driver = drivers[earlier] ?? suspended.removeValue(forKey: earlier) {
                drivers[number]?.takeOver(driver)
            }
            onEvent(effect)
        case .connected(_, let number, let summary, _):
            deliver(.opened(summary), to: number, at: now)
            onEvent(effect)
        // Traces are of links that nobody takes payload of, too.
        case .payload(_, .trace): onEvent(effect)
        case .payload(let number, let payload): deliver(payload, to: number, at: now)
        default: onEvent(effect)
        }
    }

    private func deliver(_ effect: LinkEffect, to number: LinkNumber, at now: Instant) {
        (drivers[number] ?? suspended[number])?.deliver(effect, at: now)
    }

    /// The transport of a link is gone.
    func transportClosed(_ number: LinkNumber, at now: Instant) {
        let driver = drivers[number]
        // Before the node is settled: it may dial the peer because of this.
        if let driver, !driver.isReconnecting { releaseCredit(driver.events.takeConsumed(), of: number, at: now) }
        node.disconnected(number, at: now)
        settle(at: now)
        drivers[number] = nil
        guard let driver else { return }
        guard !driver.isReconnecting else {
            suspended[number] = driver
            return
        }
        finish(driver, of: number, at: now)
    }

    /// Nothing carries an association any more.
    private func finish(_ driver: LinkDriver, of number: LinkNumber, at now: Instant) {
        driver.finish()
        releaseCredit(driver.events.takeConsumed(), of: number, at: now)
        guard !driver.events.isSettled else { return }
        lateQueues[number] = driver.events
        expectLateReceipts(driver.events)
    }
}
