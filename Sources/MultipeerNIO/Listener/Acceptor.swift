import Logging
import MultipeerCore
import MultipeerDriver
import NIOCore

/// Serves, refuses or drops each accepted connection, on the connection's own event loop.
struct Acceptor: Sendable {
    let configuration: LinkConfiguration
    let options: LinkOptions
    let limits: ListenerLimits
    let limiter: ConnectionLimiter
    let queue: AsyncQueue<LinkConnection>

    func accept(_ channel: any Channel) throws {
        let address = AddressKey(channel.remoteAddress)
        switch limiter.admit(from: address) {
        case .serve: try serve(channel, from: address)
        case .refuse: try refuse(channel)
        case .drop:
            options.logger?.debug("connection dropped: too many")
            try channel.pipeline.syncOperations.addHandler(CloseAtOnce())
        }
    }

    private func serve(_ channel: any Channel, from address: AddressKey?) throws {
        let slot = ConnectionSlot(limiter: limiter, decision: .serve, address: address)
        var options = options
        options.origin = address?.origin
        let connection: LinkConnection
        do {
            connection = try LinkConnection.install(
                on: channel, role: .responder, configuration: configuration, options: options, observer: slot)
        } catch {
            slot.linkEnded()
            throw error
        }
        guard register(connection.handler.value, slot: slot, on: channel) else { return }
        queue.push(connection, cost: 1)
    }

    private func refuse(_ channel: any Channel) throws {
        var busy = configuration
        busy.refusesAsBusy = true
        busy.timeouts.handshake = limits.refusalTimeout
        let slot = ConnectionSlot(limiter: limiter, decision: .refuse, address: nil)
        // Nobody takes the events of this link. It is over after the first one.
        let handler = LinkHandler(
            role: .responder, configuration: busy, options: options, eventLoop: channel.eventLoop)
        handler.observer = slot
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch {
            handler.driver.transportClosed(at: handler.now)
            slot.linkEnded()
            throw error
        }
        _ = register(handler, slot: slot, on: channel)
    }

    /// Registers the link for a shutdown. Returns false if the shutdown has already begun.
    private func register(_ handler: LinkHandler, slot: ConnectionSlot, on channel: any Channel) -> Bool {
        slot.link = ObjectIdentifier(handler)
        guard limiter.register(handler, eventLoop: channel.eventLoop) else {
            handler.abort()
            return false
        }
        return true
    }
}

/// Closes a connection for which there is no room.
private final class CloseAtOnce: ChannelInboundHandler {
    typealias InboundIn = Never

    func channelActive(context: ChannelHandlerContext) {
        context.close(promise: nil)
    }
}
