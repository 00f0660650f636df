import Logging
import MultipeerCore
public import NIOCore

extension LinkHandler {
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = Self.unwrapInboundIn(data)
        link.receive(buffer.readableBytesUInt8Span, at: now)
        deliverEvents()
    }

    public func channelReadComplete(context: ChannelHandlerContext) {
        // Once for a burst of reads, so that what they cause goes out together.
        settle()
        context.fireChannelReadComplete()
    }

    public func read(context: ChannelHandlerContext) {
        if mayRead {
            context.read()
        } else {
            isReadHeldBack = true
        }
    }

    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { endInput() }
        context.fireUserInboundEventTriggered(event)
    }

    /// The peer sends nothing more.
    func endInput() {
        guard !ending.hasInputEnded else { return }
        ending.hasInputEnded = true
        link.receiveEnd(at: now)
        settle()
    }

    /// Hands the link's effects to the app.
    func deliverEvents() {
        while let effect = link.nextEffect() {
            if isHandledBySource(effect) { continue }
            let event = settleSends(before: effect)
            note(event)
            if !events.push(event, cost: event.cost) { mayRead = false }
        }
    }

    /// Opens and stops the gate before the app can know of it.
    private func settleSends(before event: LinkEvent) -> LinkEvent {
        switch event {
        case .opened(let summary):
            gate.open(maximum: summary.peerMaximumMessage)
        case .closed(let end):
            let unsent = gate.stop(.wrongStage(link.stage))
            // Messages that the link has not seen are unsent as well.
            if case .finished(let count) = end { return .closed(.finished(unsentMessages: count + unsent)) }
        case .identified, .invited, .invitationsMerged, .invitationAccepted, .verify, .message, .incomingFile,
            .outgoingFile, .trace:
            break
        }
        return event
    }

    private func note(_ event: LinkEvent) {
        switch event {
        case .identified:
            log("peer identified")
            observer?.linkIdentified()
        case .opened: log("session open")
        case .closed(.finished): log("link finished")
        case .closed(.failed(let failure)): log("link failed", ["failure": .string("\(failure)")])
        case .invited, .invitationsMerged, .invitationAccepted, .verify, .message, .incomingFile, .outgoingFile, .trace:
            break
        }
    }

    /// The app has caught up.
    func resumeReading() {
        mayRead = true
        guard isReadHeldBack else { return }
        isReadHeldBack = false
        context?.read()
    }
}

extension LinkEvent {
    /// What the event counts while it waits: about the memory that it holds.
    var cost: Int {
        let payload =
            switch self {
            case .message(let bytes): bytes.count
            case .incomingFile(.data(_, let bytes)): bytes.count
            case .trace(let entry): entry.wire.count + entry.plaintext.count
            case .invited(_, let invitation), .invitationsMerged(let invitation): invitation.context.count
            case .verify, .identified, .invitationAccepted, .opened, .incomingFile, .outgoingFile, .closed: 0
            }
        return payload + LinkOptions.eventOverhead
    }
}
