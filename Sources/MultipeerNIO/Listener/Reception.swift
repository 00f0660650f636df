import Logging
import MultipeerCore
import NIOCore

/// Gives each accepted connection what its ruling says, on the connection's own event loop.
struct Reception: Sendable {
    let configuration: LinkConfiguration
    let options: LinkOptions
    let limits: ListenerLimits
    let admission: Admission
    let queue: HandoverBuffer<LinkConnection>

    func receive(_ channel: any Channel) throws {
        let address = AddressKey(channel.remoteAddress)
        switch admission.admit(from: address) {
        case .serve: try serve(channel, from: address)
        case .refuse: try refuse(channel)
        case .drop:
            options.logger?.debug("connection dropped: too many")
            try channel.pipeline.syncOperations.addHandler(CloseAtOnce())
        }
    }

    private func serve(_ channel: any Channel, from address: AddressKey?) throws {
        let ticket = AdmissionTicket(admission: admission, ruling: .serve, address: address)
        let connection: LinkConnection
        do {
            connection = try LinkConnection.install(
                on: channel, role: .responder, configuration: configuration, options: options, observer: ticket)
        } catch {
            ticket.linkEnded()
            throw error
        }
        guard register(connection.handler.value, ticket: ticket, on: channel) else { return }
        _ = queue.push(connection, cost: 1)
    }

    private func refuse(_ channel: any Channel) throws {
        var busy = configuration
        busy.refusesAsBusy = true
        busy.timeouts.handshake = limits.refusalTimeout
        let ticket = AdmissionTicket(admission: admission, ruling: .refuse, address: nil)
        // Nobody listens to its events: it is over with the first one.
        let events = HandoverBuffer<LinkEvent>(watermarks: options.events)
        let handler = LinkHandler(
            role: .responder, configuration: busy, options: options, eventLoop: channel.eventLoop, events: events)
        handler.observer = ticket
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch {
            ticket.linkEnded()
            throw error
        }
        _ = register(handler, ticket: ticket, on: channel)
    }

    /// Puts the link in reach of a shutdown; false when that has begun already.
    private func register(_ handler: LinkHandler, ticket: AdmissionTicket, on channel: any Channel) -> Bool {
        ticket.link = ObjectIdentifier(handler)
        guard admission.register(handler, eventLoop: channel.eventLoop) else {
            handler.abort()
            return false
        }
        return true
    }
}

/// Closes a connection that nobody has room for.
private final class CloseAtOnce: ChannelInboundHandler {
    typealias InboundIn = Never

    func channelActive(context: ChannelHandlerContext) {
        context.close(promise: nil)
    }
}
