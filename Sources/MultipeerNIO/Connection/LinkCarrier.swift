import MultipeerDriver
import NIOCore
import Synchronization

/// What carries the association of a connection: a link, and after it the one that continues the association (SPEC §13.9). On the event loop.
final class LinkCarrier {
    private(set) var handler: LinkHandler
    let state: CarrierState
    /// What the app has asked for since the link was lost.
    private var waiting: [(LinkHandler) -> Void] = []
    private var closeObservers: [() -> Void] = []

    init(_ handler: LinkHandler, on channel: any Channel) {
        self.handler = handler
        state = CarrierState(channel)
        watch(channel)
    }

    /// The end of each transport that carries the association is noticed here.
    private func watch(_ channel: any Channel) {
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in bound.value.noteClose() }
    }

    // MARK: Requests

    /// Runs a request, as soon as a link carries the association, or none will.
    func run(_ request: @escaping (LinkHandler) -> Void) {
        if handler.driver.isReconnecting || !waiting.isEmpty { waiting.append(request) } else { request(handler) }
    }

    /// Calls `body` when no link carries the association any more, and the transport of the last one is closed.
    func whenClosed(_ body: @escaping () -> Void) {
        if state.isActive { closeObservers.append(body) } else { body() }
    }

    // MARK: Links

    /// The link is lost, and another one may continue it.
    func suspend() { state.isReconnecting = true }

    /// The link of another connection continues the association. That connection has none any more.
    func takeOver(_ next: LinkCarrier) {
        handler = next.handler
        state.takeOver(next.state)
        watch(state.channel)
        let bound = NIOLoopBound(self, eventLoop: handler.eventLoop)
        handler.eventLoop.execute { bound.value.catchUp() }
    }

    /// No other link continues it.
    func end() {
        state.isReconnecting = false
        catchUp()
        noteClose()
    }

    /// The transport of a link is closed.
    private func noteClose() {
        guard !state.isActive else { return }
        defer { closeObservers = [] }
        for body in closeObservers { body() }
    }

    private func catchUp() {
        guard !handler.driver.isReconnecting else { return }
        let requests = waiting
        waiting = []
        for request in requests { request(handler) }
    }
}

/// Whether anything carries the association of a connection, for any thread.
final class CarrierState: Sendable {
    private struct State {
        var channel: any Channel
        var isReconnecting = false
        var isGivenAway = false
    }

    private let state: Mutex<State>

    init(_ channel: any Channel) { state = Mutex(State(channel: channel)) }

    /// Whether a link does, or may soon do so. A loop that has been shut down has closed its channels, and accepts no tasks.
    var isActive: Bool {
        state.withLock { !$0.isGivenAway && ($0.isReconnecting || $0.channel.isActive) }
    }

    var channel: any Channel { state.withLock { $0.channel } }

    var isReconnecting: Bool {
        get { state.withLock { $0.isReconnecting } }
        set { state.withLock { $0.isReconnecting = newValue } }
    }

    fileprivate func takeOver(_ next: CarrierState) {
        let channel = next.state.withLock { state in
            state.isGivenAway = true
            return state.channel
        }
        state.withLock { ($0.channel, $0.isReconnecting) = (channel, false) }
    }
}
