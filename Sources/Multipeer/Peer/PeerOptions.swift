public import Logging
public import MultipeerClock
package import MultipeerCore
public import NIOCore

/// What an app may choose for a peer, and for all of its links.
///
/// ```swift
/// var options = PeerOptions()
/// options.logger = Logger(label: "nearby")
/// let me = try await Peer.load(named: "Anna", options: options)
/// ```
public struct PeerOptions: Sendable {
    /// What deadlines are measured by. Tests of apps pass one that they advance; connecting and shutting down still take real time.
    public var clock: any SteadyClock
    /// What links report, at debug level. Secrets and payload are never logged. Nobody hears it by default.
    public var logger: Logger?
    /// Where the peer's links are served: one event loop, of the app. It must run until the peer is shut down. By default it is one of
    /// the process's own (`MultiThreadedEventLoopGroup.singleton`), which the app does not shut down.
    public var eventLoop: (any EventLoop)?
    /// How long a lost connection may take to come back (``SessionEvent/reconnecting(_:)``), at most ten minutes. Its member counts as gone after
    /// that. With 0 it does so at once, and what was under way ends with the connection.
    public var grace: Duration = .seconds(60)
    /// How long an open link may make no progress while something waits for the other peer (`LinkOptions.stallTimeout`); nil for ever.
    public var stallTimeout: Duration? = .seconds(60)
    /// Whether messages of which the other peer's app takes nothing make no progress (`LinkOptions.countsCreditAsStall`).
    public var countsCreditAsStall = false
    /// Whether messages that may be lost (``Session/trySend(unreliable:to:)``) can go as datagrams, here and from here. A UDP port is open for
    /// them while a member has wanted one.
    public var takesDatagrams = true
    /// Is shown each record that passes, for people who debug.
    package var trace: RecordTrace?

    /// Creates options.
    public init(
        clock: any SteadyClock = ContinuousClock(), logger: Logger? = nil, eventLoop: (any EventLoop)? = nil
    ) {
        self.clock = clock
        self.logger = logger
        self.eventLoop = eventLoop
    }
}

/// Is shown each record that passes, in order. It holds the events up until it returns.
package typealias RecordTrace = @Sendable (LinkNumber, TraceEntry) async -> Void
