import Logging
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerWire
import NIOCore
import NIOPosix

/// What a ``NetworkNode`` does on its event loop.
final class NetworkNodeCore {
    let node: NodeDriver
    let connections: ConnectionTable
    private let options: LinkOptions
    let eventLoop: any EventLoop
    let clock: LoopClock
    private let datagrams: DatagramSockets
    /// The sockets of connections that the node has asked for.
    private var dials: [DialNumber: any Channel] = [:]
    private var alarm = Alarm()
    private var isWorkScheduled = false
    private var isOver = false

    init(
        _ node: NodeDriver, _ connections: ConnectionTable, _ options: LinkOptions, _ clock: LoopClock,
        on eventLoop: any EventLoop
    ) {
        self.clock = clock
        datagrams = DatagramSockets(clock, on: eventLoop)
        self.node = node
        self.connections = connections
        self.options = options
        self.eventLoop = eventLoop
    }

    var now: Instant { clock.now }

    func start() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        node.onWork = { [unowned self] in scheduleWork() }
        node.setLateReceipt { [eventLoop] in
            eventLoop.execute { bound.value.node.lateReceipts(at: bound.value.now) }
        }
        setAlarm()
    }

    // MARK: Listeners

    /// A listener decides which half-open link yields, because it knows addresses. So the node has room for all that listeners have.
    func begins(_ listener: any Channel, halfOpen: Int) {
        node.perform(at: now) { (node, _) in node.changeMaximumHandshakes(by: halfOpen) }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        listener.closeFuture.hop(to: eventLoop).whenComplete { _ in
            let core = bound.value
            core.node.perform(at: core.now) { (node, _) in node.changeMaximumHandshakes(by: -halfOpen) }
        }
    }

    // MARK: Links

    /// Told of the number of a link before anything happens to it.
    typealias OnLink = @Sendable (LinkNumber) -> Void

    func accept(
        _ channel: any Channel, _ origin: PeerOrigin?, _ observer: any LinkObserver, for group: GroupNumber?,
        _ onLink: OnLink
    ) throws -> LinkConnection {
        guard
            let (number, driver) = node.accepted(
                origin: origin, isWithinHost: channel.isWithinHost, for: group, at: now)
        else { throw ChannelError.alreadyClosed }
        onLink(number)
        return try install(driver, as: number, on: channel, role: .responder, observer)
    }

    func open(
        _ channel: any Channel, expecting peer: IdentityKey?, tagged tag: KeyTag?, _ origin: PeerOrigin?,
        for group: GroupNumber?, _ onLink: OnLink
    ) throws -> (LinkConnection, LinkNumber) {
        guard
            let (number, driver) = node.opened(
                expecting: peer, tagged: tag, place: MemberAddress(remoteOf: channel), origin: origin,
                isWithinHost: channel.isWithinHost, for: group, at: now)
        else { throw ChannelError.alreadyClosed }
        onLink(number)
        return (try install(driver, as: number, on: channel, role: .initiator, nil), number)
    }

    private func install(
        _ driver: LinkDriver, as number: LinkNumber, on channel: any Channel, role: LinkRole,
        _ observer: (any LinkObserver)?
    ) throws -> LinkConnection {
        let handler = LinkHandler(driver, logger: options.logger, clock: clock, eventLoop: eventLoop)
        handler.carryDatagrams(on: channel, role: role, datagrams)
        let connection = try LinkConnection.install(handler, on: channel, role: role, observer: observer)
        connections.add(connection, as: number)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        channel.closeFuture.whenComplete { _ in bound.value.connections.transportClosed(number) }
        return connection
    }

    // MARK: Work

    /// The node's work waits for the end of what the loop does now: it may be in the middle of a link's own.
    private func scheduleWork() {
        guard !isWorkScheduled, !isOver else { return }
        isWorkScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.work() }
    }

    private func work() {
        isWorkScheduled = false
        while let order = node.nextOrder() { carryOut(order) }
        while let number = node.nextReady() { connections.handlers[number]?.drain() }
        setAlarm()
    }

    private func setAlarm() { alarm.set(to: isOver ? nil : node.deadline, for: self) }

    // MARK: Dialling

    private func carryOut(_ order: NodeOrder) {
        switch order {
        case .dial(let number, let address): dial(number, address)
        case .cancelDial(let number): dials.removeValue(forKey: number)?.close(promise: nil)
        }
    }

    private func dial(_ number: DialNumber, _ address: MemberAddress) {
        guard let socket = SocketAddress(address) else { return node.failed(number, at: now) }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let bootstrap = LinkConnector.bootstrap(eventLoop, timeout: .seconds(10)) { channel in
            bound.value.dials[number] = channel
        }
        LinkConnector.withTCPOptions(bootstrap).connect(to: socket).flatMap { channel in
            LinkConnector.install(on: channel) { channel in
                try bound.value.connected(number, channel, to: Endpoint(socket))
            }
        }.whenComplete { result in
            let core = bound.value
            guard core.dials.removeValue(forKey: number) != nil || core.isOver else { return }
            if case .failure = result { core.node.failed(number, at: core.now) }
        }
    }

    private func connected(
        _ dial: DialNumber, _ channel: any Channel, to endpoint: Endpoint?
    ) throws -> LinkConnection {
        guard
            let (number, driver) = node.connected(
                dial, origin: endpoint?.dialledOrigin, isWithinHost: channel.isWithinHost, at: now)
        else {
            channel.close(promise: nil)
            throw ChannelError.alreadyClosed
        }
        return try install(driver, as: number, on: channel, role: .initiator, nil)
    }

    // MARK: The end

    /// Closes all links in good order, and returns the ends of their transports.
    func shutDown() -> [EventLoopFuture<Void>] {
        let ends = connections.handlers.values.compactMap(\.context?.channel.closeFuture)
        node.shutDown(at: now)
        for handler in connections.handlers.values { handler.drain() }
        for channel in dials.values { channel.close(promise: nil) }
        return ends
    }

    /// Closes all transports at once.
    func abort() {
        for handler in connections.handlers.values { handler.abort() }
    }

    /// Nothing more is done. What holds this object from inside lets it go.
    func stop() {
        isOver = true
        node.onWork = nil
        node.setLateReceipt {}
        setAlarm()
    }
}

extension NetworkNodeCore: AlarmOwner {
    func alarmWentOff() {
        alarm.wentOff()
        node.timeout(at: now)
        work()
    }
}
