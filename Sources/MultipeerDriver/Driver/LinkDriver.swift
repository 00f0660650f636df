public import MultipeerCore

/// Drives one `Link` over any transport: it owns the link, the queues to and from the app, the deadline, back pressure and
/// the order in which the transport is closed. It knows no socket, no event loop and no clock.
///
/// An adapter tells the driver what happens (``transportOpened()``, ``receive(_:at:)``, ``receiveEnd(at:)``,
/// ``timeout(at:)``, requests), and after every input it does what the driver wants:
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
/// Use a driver on one thread at a time. Its queues are for all threads: ``events`` and ``sends``, which call the closure of
/// ``setWake(_:)`` when the adapter should come and do the above.
public final class LinkDriver {
    /// What happens on the link.
    public let events: EventQueue
    /// Messages to the peer.
    public let sends: SendQueue
    /// Called when the peer is identified, when the session opens and when the link ends, before the app can know of it.
    public var onMilestone: ((LinkEffect) -> Void)?

    var link: Link
    var transport = TransportState()
    var turn = TurnBudget()
    /// Whether work waits for the next turn, so that one link does not keep a thread from others: call ``beginTurn()``
    /// when they have had theirs.
    public internal(set) var needsTurn = false
    /// Whether the last buffer had too little room for what is next.
    var isStuck = false

    /// The file that this side sends from a source, if one is under way.
    var sourcedFile: SourcedFile?
    /// Makes the adapter come; see ``setWake(_:)``.
    private(set) var onWake: (@Sendable () -> Void)?

    let verification: PeerVerification?
    /// How long the last bytes of a finished link may take to leave.
    private let patience: Duration
    /// The stage that the queue of messages knows.
    private var announcedStage = LinkStage.hello
    /// Messages that were accepted and that the link did not take.
    private var lostMessages = 0

    /// Begins a link.
    public init(role: LinkRole, configuration: LinkConfiguration, options: DriverOptions, now: Instant) {
        events = EventQueue(watermarks: options.events)
        sends = SendQueue(watermarks: options.sends)
        verification = options.validator.map(PeerVerification.init)
        patience = configuration.timeouts.closing
        link = Link(role: role, configuration: configuration, random: options.random, now: now)
    }

    // MARK: State

    /// How far the link has come.
    public var stage: LinkStage { link.stage }

    /// When to call ``timeout(at:)``. Nil: never.
    public var deadline: Instant? {
        switch (link.deadline, transport.deadline) {
        case (let one?, let other?): min(one, other)
        case (let one, let other): one ?? other
        }
    }

    /// Whether to read from the transport: not while the app lets events pile up. Writes that wait never stop reading
    /// (R15.2-1).
    public var wantsRead: Bool { !events.isPaused }

    /// What waits where; a snapshot.
    public var status: LinkStatus {
        let sends = sends.status
        return LinkStatus(
            stage: link.stage, queuedByteCount: link.queuedByteCount + sends.acceptedBytes,
            suspendedSends: sends.suspended, undeliveredEventCost: events.cost, isReadingPaused: !wantsRead)
    }

    // MARK: Inputs

    /// Sets what makes the adapter come: called from any thread when messages wait, when a paused reader may go on, when a
    /// validator has answered, or when a ``FileSource`` has bytes. It is forgotten when the transport has closed.
    public func setWake(_ onWake: @escaping @Sendable () -> Void) {
        self.onWake = onWake
        sends.setWake(onWake)
        events.setResume(onWake)
        verification?.setWake(onWake)
    }

    /// The transport takes bytes.
    public func transportOpened() {
        transport.isOpen = true
    }

    /// Takes bytes of the peer's stream, in whatever pieces.
    public func receive(_ bytes: Span<UInt8>, at now: Instant) {
        link.receive(bytes, at: now)
        deliverEvents()
    }

    /// The peer's stream has ended.
    public func receiveEnd(at now: Instant) {
        guard transport.endInput() else { return }
        link.receiveEnd(at: now)
        deliverEvents()
    }

    /// A deadline has passed, or some time since the last input: what is sent then has deadlines that count from `now`.
    /// Calls that come too early change nothing.
    public func timeout(at now: Instant) {
        link.timeout(at: now)
        transport.timeout(at: now)
        deliverEvents()
    }

    /// All that was written has left, and the sending side is ended (``TransportStep/endOutput``).
    public func outputEnded() { transport.outputEnded() }

    /// The transport cannot end its sending side alone; it stays open until the link is finished.
    public func outputCannotEnd() { transport.outputCannotEnd() }

    /// The transport is gone, and the adapter with it. What the app has not taken yet it still gets.
    public func transportClosed(at now: Instant) {
        receiveEnd(at: now)
        transport.closed()
        verification?.cancel()
        refuseMessages()
        dropSource()
        onWake = nil
        sends.setWake(nil)
        events.finish()
    }

    // MARK: Events

    /// Hands the link's effects to the app, and first does what has to be done before the app can know of them.
    func deliverEvents() {
        while let effect = link.nextEffect() {
            switch effect {
            case .identified:
                deliverMilestone(effect)
            case .verify(let token, let evidence):
                if let verification { verification.begin(token, evidence) } else { events.push(effect) }
            case .opened(let summary):
                announcedStage = .open
                sends.open(maximum: summary.peerMaximumMessage)
                deliverMilestone(effect)
            case .closed(let end):
                verification?.cancel()
                refuseMessages()
                deliverMilestone(.closed(countingLostMessages(in: end)))
            case .outgoingFile(let event):
                if !isForSource(event) { events.push(effect) }
            case .invited, .invitationsMerged, .invitationAccepted, .message, .incomingFile, .trace:
                events.push(effect)
            }
        }
    }

    private func deliverMilestone(_ event: LinkEffect) {
        onMilestone?(event)
        events.push(event)
    }

    /// Messages that the link has not seen are unsent as well.
    private func countingLostMessages(in end: LinkEnd) -> LinkEnd {
        switch end {
        case .finished(let count): .finished(unsentMessages: count + lostMessages)
        case .failed: end
        }
    }

    // MARK: Messages

    /// Queues what tasks have sent.
    func queueAcceptedMessages(at now: Instant) {
        queue(sends.takeAccepted(), at: now)
    }

    /// Queues the last messages, and refuses those that come later.
    func queueLastMessages(at now: Instant) {
        queue(sends.stop(.wrongStage(.closing)), at: now)
    }

    private func queue(_ messages: [[UInt8]], at now: Instant) {
        for message in messages {
            do throws(RequestError) {
                try link.send(message, at: now)
            } catch {
                // The link has ended since, or is about to.
                lostMessages += 1
            }
        }
    }

    /// Tells senders of a stage in which the link takes no messages.
    func announceStage() {
        guard link.stage != announcedStage else { return }
        announcedStage = link.stage
        if announcedStage != .open { refuseMessages() }
    }

    private func refuseMessages() {
        lostMessages += sends.stop(.wrongStage(link.stage)).count
    }

    // MARK: Closing the transport

    /// What to do to the transport, once each. Ask after all was written that ``prepareWrite(at:isWritable:)`` wanted.
    public func nextTransportStep(at now: Instant) -> TransportStep? {
        transport.nextStep(remainingOutput, at: now, patience: patience)
    }

    private var remainingOutput: LinkOutput {
        if link.isFinished { return .finished }
        if link.stage == .closed { return .last }
        return link.isOutputFinished ? .ended : .expected
    }
}
