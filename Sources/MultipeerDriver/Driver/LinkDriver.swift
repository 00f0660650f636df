import MultipeerCertificates
public import MultipeerCore
import MultipeerCrypto

/// A driver of one `Link` over any transport. It owns the link, the queues to and from the app, the deadline, back
/// pressure, and the order in which the transport is closed. It uses no socket, no event loop and no clock.
///
/// An adapter notifies the driver of what happens (``transportOpened()``, ``receive(_:at:)``, ``receiveEnd(at:)``,
/// ``timeout(at:)``, requests). After every input it drains the driver:
///
/// ```swift
/// while driver.prepareWrite(at: now, isWritable: transport.isWritable) {
///     driver.transmit(into: &buffer, at: now)             // at least 65,535 bytes of room, or a record may not fit
///     transport.write(buffer)
/// }
/// transport.flush()
/// alarm.set(to: driver.deadline)                          // calls timeout(at:)
/// if driver.needsTurn { /* after others had theirs: beginTurn(), and all this again */ }
/// if let step = driver.nextTransportStep(at: now) { /* end the output, or close */ }
/// if driver.wantsRead { /* read on */ }
/// ```
///
/// Use a driver on one thread at a time. Its queues ``events`` and ``sends`` may be used on any thread. They call the
/// closure of ``setWake(_:)`` when the adapter should drain the driver.
public final class LinkDriver {
    /// The events of the association that the link carries.
    public var events: EventQueue { context.events }
    /// The queue of messages to the peer.
    public var sends: SendQueue { context.sends }
    /// The queue of messages to the peer that go as datagrams.
    package var datagrams: DatagramQueue { context.datagrams }
    /// A function that is called when the peer is identified, when the session opens and when the link ends, before the
    /// app gets the event.
    public var onMilestone: ((LinkEffect) -> Void)?

    /// Whether bytes of the peer wait in the transport, as far as the adapter knows. They prove that the peer was not silent, where a
    /// process was suspended and its timers go off before it reads (R18-2).
    public var transportHoldsBytes: (() -> Bool)?
    /// The same, and whether the driver reads at all: one that does not read does not hear either.
    var holdsUnread: Bool { !wantsRead || transportHoldsBytes?() == true }

    private let handle: LinkHandle
    var link: Link {
        _read { yield handle.link }
        _modify { yield &handle.link }
    }
    /// Datagrams beside the link.
    var datagramEnd: DatagramEnd
    /// The node that the link belongs to, and its number there; nil for a link of the driver's own.
    weak var node: NodeDriver?
    private(set) var number: LinkNumber?
    var transport = TransportState()
    var turn = TurnBudget()
    /// Whether work waits for the next turn, so that one link does not keep a thread from others. Call ``beginTurn()``
    /// when other work has had its turn.
    public internal(set) var needsTurn = false
    /// Whether the peer does not use the memory that its message has.
    var isMessageStalled = false
    /// Whether the last buffer had too little room for the next record.
    var isStuck = false

    /// What the app holds of the association that the link carries.
    private(set) var context: AssociationContext
    /// Whether the link is lost, and another one may continue its association (`NodeEffect.reconnecting`). Until then the driver takes
    /// nothing from the app.
    public private(set) var isReconnecting = false
    /// Whether the link continues the association of another one.
    private var isContinuation = false

    /// When to look for what the app has taken.
    var receiptsDue: Instant?
    /// Wakes the adapter; see ``setWake(_:)``.
    private(set) var onWake: (@Sendable () -> Void)?

    /// How many offers of the peer the app is asked about.
    let offers: OfferLimit

    var watch: ProgressWatch
    let stallTimeout: Duration?
    /// When to look for files that have waited too long for the peer.
    var fileWatchDue: Instant?
    /// The peer's key, once it is identified.
    var peer: IdentityKey?

    /// What verifies the peer, in place of the app.
    var validator: (any CertificateValidator)?
    private(set) var verification: PeerVerification?
    /// What is judged once the peer has accepted the local peer.
    private var laterVerification: (LinkToken, PeerEvidence)?
    private let origin: PeerOrigin?
    /// How long the last bytes of a finished link, and of one that stood still, may take to leave.
    let patience: Duration
    /// The stage that the queue of messages heard last.
    private var announcedStage = LinkStage.hello

    /// Creates a driver for a link that begins now.
    public convenience init(role: LinkRole, configuration: LinkConfiguration, options: DriverOptions, now: Instant) {
        let link = Link(
            role: role, configuration: LinkMemory.limited(configuration, to: options.memoryPools),
            random: options.random, now: now)
        self.init(
            LinkHandle(link), closing: configuration.timeouts.closing, EventQueue(watermarks: options.events), options)
    }

    /// Creates a driver for one of a node's links.
    convenience init(
        _ handle: LinkHandle, _ number: LinkNumber, of node: NodeDriver, closing patience: Duration, events: EventQueue,
        options: DriverOptions
    ) {
        self.init(handle, closing: patience, events, options)
        (self.node, self.number) = (node, number)
    }

    private init(_ handle: LinkHandle, closing patience: Duration, _ events: EventQueue, _ options: DriverOptions) {
        self.handle = handle
        self.patience = patience
        context = AssociationContext(events: events, options: options)
        validator = options.validator
        origin = options.origin
        offers = options.offers
        datagramEnd = DatagramEnd(random: options.random, budget: options.datagrams)
        stallTimeout = options.stallTimeout
        watch = ProgressWatch(patience: options.stallTimeout, countsCredit: options.countsCreditAsStall)
    }

    // MARK: State

    /// The stage of the link.
    public var stage: LinkStage { link.stage }

    /// The time at which to call ``timeout(at:)``, or nil if there is none.
    public var deadline: Instant? {
        let ownWork = Instant.earlier(Instant.earlier(receiptsDue, fileWatchDue), datagramEnd.deadline)
        return Instant.earlier(
            Instant.earlier(link.deadline, ownWork), Instant.earlier(transport.deadline, watch.deadline))
    }

    /// Whether to read from the transport. Do not read while the app lets events pile up. Waiting writes never stop
    /// reading (R15.2-1).
    public var wantsRead: Bool { !events.isPaused }

    /// A snapshot of the link's queues.
    public var status: LinkStatus {
        let sends = sends.status
        return LinkStatus(
            stage: link.stage, queuedByteCount: link.queuedByteCount + sends.acceptedBytes,
            suspendedSends: sends.suspended, undeliveredEventCost: events.cost, isReadingPaused: !wantsRead,
            hasDatagramPath: datagrams.hasPath)
    }

    // MARK: Inputs

    /// Sets the function that wakes the adapter. It is called from any thread when messages wait, when a paused reader
    /// may continue, when a validator has answered, or when a ``FileSource`` has bytes. It is dropped when the
    /// transport has closed.
    public func setWake(_ onWake: @escaping @Sendable () -> Void) {
        self.onWake = onWake
        context.wake.set(onWake)
    }

    /// Tells the driver that the transport accepts bytes.
    public func transportOpened() {
        transport.isOpen = true
    }

    /// Receives bytes of the peer's stream, in pieces of any length.
    public func receive(_ bytes: Span<UInt8>, at now: Instant) {
        link.receive(bytes, at: now)
        deliverEvents(at: now)
    }

    /// Tells the driver that the peer's stream has ended.
    public func receiveEnd(at now: Instant) {
        guard transport.endInput() else { return }
        link.receiveEnd(at: now)
        deliverEvents(at: now)
    }

    /// Tells the driver that a deadline has passed, or some time since the last input. Deadlines of what is sent next
    /// count from `now`. A call that comes too early changes nothing.
    public func timeout(at now: Instant) {
        let wasClosing = link.stage == .closing
        if link.isSilent(at: now), holdsUnread { link.excuseSilence(at: now) }
        link.timeout(at: now)
        // At the closing deadline the transport is closed, whatever waits: a peer that does not read takes no CLOSE either.
        if wasClosing, link.stage == .closed { transport.abort() }
        transport.timeout(at: now)
        // A file that is given up may be all that the link waits for.
        if !cancelStalledFiles(at: now) { checkProgress(at: now) }
        lookForReceipts(at: now)
        datagramEnd.path?.timeout(at: now)
        deliverEvents(at: now)
        checkStalledMessage(at: now)
    }

    /// Tells the driver that everything written has left, and that the sending direction has ended
    /// (``TransportStep/endOutput``).
    public func outputEnded() { transport.outputEnded() }

    /// Tells the driver that the transport cannot end its sending direction alone. It stays open until the link is
    /// finished.
    public func outputCannotEnd() { transport.outputCannotEnd() }

    /// Tells the driver that the transport and the adapter are gone. The app still gets the events that it has not
    /// taken.
    public func transportClosed(at now: Instant) {
        receiveEnd(at: now)
        transport.closed()
        verification?.cancel()
        closeDatagrams()
        (receiptsDue, fileWatchDue) = (nil, nil)
        onWake = nil
        context.wake.set(nil)
        if let node, let number { node.transportClosed(number, at: now) } else { finish() }
    }

    /// Nothing carries the association any more, and its adapter is gone.
    func finish() { context.finish() }

    // MARK: Associations that continue (SPEC §13.9)

    /// The link is lost. What its app holds waits for the link that continues the association.
    func suspend() {
        isReconnecting = true
        closeDatagrams()
        // What the app takes from now on counts on the next link. This one would lose it.
        (receiptsDue, fileWatchDue) = (nil, nil)
        context.suspend()
    }

    /// The link continues the association of another one, whose app goes on with this driver.
    func takeOver(_ earlier: LinkDriver) {
        // What this link had of its own is nothing that an app has seen.
        swap(&context, &earlier.context)
        (isContinuation, earlier.isReconnecting) = (true, false)
        context.resume()
        context.wake.set(onWake)
        datagramEnd.isWanted = datagrams.isWanted
        earlier.context.wake.set(earlier.onWake)
    }

    // MARK: Events

    /// Passes the link's effects to the app, after the work that must be done before the app sees them.
    func deliverEvents(at now: Instant) {
        if let node { return node.settle(at: now, draining: number) }
        while let effect = handle.nextEffect() { deliver(effect, at: now) }
    }

    /// Passes one effect on.
    func deliver(_ effect: LinkEffect, at now: Instant) {
        switch effect {
        case .identified(let peer):
            self.peer = peer.key
            deliverMilestone(effect)
        case .verify(let token, var evidence):
            evidence.origin = origin
            verify(token, evidence)
        case .opened(let summary):
            announcedStage = .open
            self.peer = summary.peer.key
            guard !isContinuation else {
                noteFilesGoOn(at: now)
                onMilestone?(effect)
                return
            }
            context.memory.sharer = MemoryPools.Sharer(peer: summary.peer.key, session: summary.session)
            sends.open(maximum: summary.peerMaximumMessage)
            deliverMilestone(effect)
        case .closed(let end):
            isReconnecting = false
            verification?.cancel()
            closeDatagrams()
            context.close()
            deliverMilestone(.closed(countingLostMessages(in: end)))
        case .outgoingFile(let event):
            if !isForSource(event, at: now) { events.push(effect) }
        case .memoryWanted(let count):
            context.memory.reserve(count, of: branch) { [wake = context.wake] in wake() }
        case .memoryReturned(let count): context.memory.release(count)
        case .messageStalled: isMessageStalled = true
        case .messages(let range, let result):
            if let number = context.numbers.number(upTo: range.last) { sends.note(result, upTo: number) }
        case .stream(let event): deliver(event)
        case .incomingFile(let event): deliver(event, at: now)
        case .message:
            context.memory.messageCame()
            datagramEnd.path?.noteLinkMessage(at: now)
            events.push(effect)
        case .datagramPath: beginPath(at: now)
        case .invited, .invitationAccepted, .probeAnswered, .verification, .datagram, .trace: events.push(effect)
        }
    }

    /// The branch of the peer in the session of the link (SPEC §14.4): those of one branch share a turn (`MemoryPools`).
    private var branch: IdentityKey? { number.flatMap { node?.branch(of: $0) } }

    private func verify(_ token: LinkToken, _ evidence: PeerEvidence) {
        guard let validator else { return events.push(.verify(token, evidence)) }
        // Only the responder waits, so that the two do not wait for each other.
        if validator.judgesAfterPeer, link.role == .responder, !link.hasPeerAccepted {
            laterVerification = (token, evidence)
            return
        }
        begin(token, evidence, by: validator)
    }

    /// Judges what waited for the peer, if that has accepted the local peer.
    func beginLaterVerification() {
        guard let (token, evidence) = laterVerification, link.hasPeerAccepted, let validator else { return }
        laterVerification = nil
        begin(token, evidence, by: validator)
    }

    private func begin(_ token: LinkToken, _ evidence: PeerEvidence, by validator: any CertificateValidator) {
        let other = number.flatMap { node?.judgement(of: evidence, beside: $0) }
        let verification = PeerVerification(token, by: other ?? Judgement(of: evidence, by: validator))
        self.verification = verification
        verification.begin(onWake)
    }

    private func deliverMilestone(_ event: LinkEffect) {
        onMilestone?(event)
        events.push(event)
    }

    /// Messages that have not reached the link are unsent as well.
    private func countingLostMessages(in end: LinkEnd) -> LinkEnd {
        switch end {
        case .finished(let count): .finished(unsentMessages: count + context.lostMessages)
        case .failed: end
        }
    }

    // MARK: Messages

    /// Passes to the link what tasks have sent.
    func queueAcceptedMessages(at now: Instant) {
        queue(sends.takeAccepted(), at: now)
    }

    /// Queues the last messages, and refuses later ones.
    func queueLastMessages(at now: Instant) {
        queue(sends.stop(), at: now)
    }

    private func queue(_ messages: [[UInt8]], at now: Instant) {
        if !messages.isEmpty { datagramEnd.path?.noteLinkMessage(at: now) }
        for message in messages {
            do throws(RequestError) {
                context.numbers.append(try link.send(message, at: now))
            } catch {
                // The link has ended since, or is about to.
                context.numbers.append(nil)
                context.lostMessages += 1
            }
        }
    }

    /// Tells senders about a stage in which the link accepts no messages.
    func announceStage() {
        guard link.stage != announcedStage else { return }
        announcedStage = link.stage
        if announcedStage != .open { context.refuseMessages() }
    }

    // MARK: Closing the transport

    /// Returns the next step of closing the transport, each once. Call this after ``prepareWrite(at:isWritable:)`` has
    /// returned false.
    public func nextTransportStep(at now: Instant) -> TransportStep? {
        transport.nextStep(remainingOutput, at: now, patience: patience)
    }

    private var remainingOutput: LinkOutput {
        if link.isFinished { return .finished }
        if link.stage == .closed { return .last }
        return link.isOutputFinished ? .ended : .expected
    }
}
