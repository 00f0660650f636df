import Logging
import MultipeerCertificates
import MultipeerCore
import MultipeerDriver
import NIOCore

/// Makes the link of an accepted connection, on the connection's own event loop.
typealias LinkMaker = @Sendable (any Channel, PeerOrigin?, any LinkObserver) throws -> LinkConnection

/// Serves, refuses or drops each accepted connection, on the connection's own event loop.
struct Acceptor: Sendable {
    let configuration: LinkConfiguration
    let options: LinkOptions
    let limits: ListenerLimits
    let limiter: ConnectionLimiter
    /// Makes the link of a connection that is served.
    let makeLink: LinkMaker
    let queue: LinkQueue

    func accept(_ channel: any Channel) throws {
        let address = AddressKey(channel.remoteAddress)
        switch limiter.admit(from: address) {
        case .serve(let number): try serve(channel, as: number, from: address)
        case .refuse: try refuse(channel)
        case .drop:
            options.logger?.debug("connection dropped: too many")
            try channel.pipeline.syncOperations.addHandler(CloseAtOnce())
        }
    }

    private func serve(_ channel: any Channel, as number: Place.Number, from address: AddressKey?) throws {
        let slot = ConnectionSlot(limiter: limiter, number: number, validator: options.validator)
        let connection: LinkConnection
        do {
            connection = try makeLink(channel, address?.origin, slot)
        } catch {
            slot.linkEnded()
            throw error
        }
        guard limiter.register(connection.carrier.value.handler, as: number, eventLoop: channel.eventLoop) else {
            connection.carrier.value.handler.abort()
            return
        }
        queue.push(connection, as: number)
        slot.onEnd = { [queue] in queue.linkEnded(number) }
    }

    private func refuse(_ channel: any Channel) throws {
        var busy = configuration
        busy.refusesAsBusy = true
        busy.timeouts.handshake = limits.refusalTimeout
        let slot = RefusalSlot(limiter: limiter)
        // Nobody takes the events of this link. It is over after the first one.
        let handler = LinkHandler(
            role: .responder, configuration: busy, options: options, eventLoop: channel.eventLoop)
        handler.observer = slot
        slot.link = ObjectIdentifier(handler)
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch {
            handler.driver.transportClosed(at: handler.now)
            slot.linkEnded()
            throw error
        }
        if !limiter.register(refusing: handler, eventLoop: channel.eventLoop) { handler.abort() }
    }
}

/// Closes a connection for which there is no room.
private final class CloseAtOnce: ChannelInboundHandler {
    typealias InboundIn = Never

    func channelActive(context: ChannelHandlerContext) {
        context.close(promise: nil)
    }
}
