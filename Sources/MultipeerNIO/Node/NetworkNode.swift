import MultipeerCertificates
public import MultipeerCore
public import MultipeerCrypto
import MultipeerDriver
public import MultipeerWire
public import NIOCore

/// A node on sockets: it listens, connects where it is asked to, and dials members of its sessions by itself.
///
/// All of its links share one event loop. Take its events with ``nextEvent(isolation:)`` until they end.
public final class NetworkNode: Sendable {
    /// The node's identity key.
    public let key: IdentityKey
    let core: NIOLoopBound<NetworkNodeCore>
    package let eventLoop: any EventLoop
    private let queue = AsyncQueue<NodeEvent>(watermarks: .unbounded)
    private let configuration: NodeConfiguration
    private let options: LinkOptions

    private init(
        _ configuration: NodeConfiguration, _ options: LinkOptions, on eventLoop: any EventLoop,
        _ sessions: any NodeSessions
    ) {
        self.configuration = configuration
        self.options = options
        self.eventLoop = eventLoop
        key = configuration.link.identity.identityKey
        let clock = LoopClock(options.clock, on: eventLoop)
        let connections = NIOLoopBound(ConnectionTable(), eventLoop: eventLoop)
        let node = NodeDriver(configuration: configuration, options: options.driver, now: clock.now) { [queue] effect in
            connections.value.note(effect)
            sessions.note(effect)
            // What comes so comes with links, which are bounded.
            queue.push(NodeEvent(effect, connections.value), cost: 0)
        }
        node.validator = { sessions.validator(of: $0) }
        core = NIOLoopBound(
            NetworkNodeCore(node, connections.value, options, clock, on: eventLoop), eventLoop: eventLoop)
    }

    /// Begins a node without sessions. `eventLoop` must outlive it.
    public static func start(
        configuration: NodeConfiguration, options: LinkOptions, sessions: any NodeSessions = AnySession(),
        eventLoop: any EventLoop
    ) async -> NetworkNode {
        await withCheckedContinuation { continuation in
            eventLoop.execute {
                let node = NetworkNode(configuration, options, on: eventLoop, sessions)
                node.core.value.start()
                continuation.resume(returning: node)
            }
        }
    }

    // MARK: Events

    /// Returns what happened next to links, invitations and members; nil when the node has stopped, or if the task is cancelled.
    /// Payload waits in each link's connection.
    public func nextEvent(isolation actor: isolated (any Actor)? = #isolation) async -> NodeEvent? {
        await queue.next(isolation: actor)
    }

    // MARK: Connections

    /// Listens for peers (`LinkListener.bind`). The listener's links are this node's, and nobody needs to take them.
    /// - Parameters:
    ///   - endpoint: Where.
    ///   - limits: What is accepted from strangers.
    ///   - group: The group of the app that listens; nil if each peer may be answered by another one.
    ///   - onAccept: Told of each link, on the event loop, before it says anything.
    /// - Throws: ``BindError``.
    public func listen(
        at endpoint: Endpoint, limits: ListenerLimits = ListenerLimits(), for group: GroupNumber? = nil,
        onAccept: @escaping @Sendable (LinkNumber) -> Void = { _ in }
    ) async throws(BindError) -> LinkListener {
        let core = core
        let listener = try await LinkListener.bind(
            to: endpoint, configuration: configuration.link, options: options, limits: limits,
            eventLoopGroup: eventLoop
        ) { channel, origin, observer in
            try core.value.accept(channel, origin, observer, for: group, onAccept)
        }
        await onLoop { core in core.begins(listener.channel, halfOpen: limits.halfOpen) }
        return listener
    }

    /// Connects to somebody, to a certain peer, or to one whose key has a certain tag, and returns the link, on which
    /// nobody is invited yet. It is for `group`, if that waits to be invited there. `onOpen` is called for it on the event loop,
    /// before anything happens to it.
    /// - Throws: ``ConnectError``.
    public func connect(
        to endpoint: Endpoint, expecting peer: IdentityKey? = nil, tagged tag: KeyTag? = nil,
        for group: GroupNumber? = nil, timeout: Duration = .seconds(10),
        onOpen: @escaping @Sendable (LinkNumber) -> Void = { _ in }
    ) async throws(ConnectError) -> LinkNumber {
        let core = core
        return try await LinkConnector.connect(to: endpoint, eventLoopGroup: eventLoop, timeout: timeout) { channel in
            try core.value.open(channel, expecting: peer, tagged: tag, endpoint.dialledOrigin, for: group, onOpen)
        }.1
    }

    /// The connection of a link, until its transport is closed and no other link continues it: for messages, streams and files. Close it,
    /// and answer its questions, by the node.
    public func connection(of link: LinkNumber) async -> LinkConnection? {
        await onLoop { core in core.connections[link] }
    }

    // MARK: Requests

    /// Asks the node for something.
    public func perform<Result: Sendable>(
        _ request: @escaping @Sendable (inout Node, Instant) throws(NodeRequestError) -> Result
    ) async throws(NodeRequestError) -> Result {
        try await asking { (core) throws(NodeRequestError) in try core.node.perform(at: core.now, request) }
    }

    /// The same where nobody can wait for what comes of it, as in a `deinit`.
    public func submit(_ request: @escaping @Sendable (inout Node, Instant) -> Void) {
        let core = core
        eventLoop.execute { core.value.node.perform(at: core.value.now, request) }
    }

    /// Leaves a session, after what was sent before.
    /// - Throws: `NodeRequestError`.
    public func leave(_ session: SessionID) async throws(NodeRequestError) {
        try await asking { (core) throws(NodeRequestError) in try core.node.leave(session, at: core.now) }
    }

    /// Leaves all sessions of a group, after what was sent before. `NodeEffect.left` tells when that has happened.
    public func leave(_ group: GroupNumber) async {
        await onLoop { core in core.node.leave(group, at: core.now) }
    }

    /// Closes a link, after what was sent before.
    public func close(_ link: LinkNumber, _ code: CloseCode = .noError) async {
        await onLoop { core in core.node.close(link, code, at: core.now) }
    }

    /// Ends the node: open links are closed in good order, and what is left after `grace` is aborted. Members may dial it again
    /// when it comes back.
    public func shutDown(gracefullyWithin grace: Duration = .seconds(5)) async {
        let ends = await onLoop { core in core.shutDown() }
        let core = core
        // The end of a program waits for no other clock than the loop's.
        let alarm = eventLoop.scheduleTask(in: TimeAmount(clamping: grace)) { core.value.abort() }
        try? await EventLoopFuture.andAllComplete(ends, on: eventLoop).get()
        alarm.cancel()
        await onLoop { core in core.stop() }
        queue.finish()
    }

    /// Runs work on the event loop that can be refused.
    private func asking<Result: Sendable>(
        _ work: @escaping @Sendable (NetworkNodeCore) throws(NodeRequestError) -> Result
    ) async throws(NodeRequestError) -> Result {
        try await onLoop { core in Swift.Result { () throws(NodeRequestError) in try work(core) } }.get()
    }

    /// Runs work on the event loop.
    func onLoop<Result: Sendable>(_ work: @escaping @Sendable (NetworkNodeCore) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let core = core
            eventLoop.execute { continuation.resume(returning: work(core.value)) }
        }
    }
}
