import MultipeerWire

extension Link {
    /// Ends the link. Nothing else does, and a link that is over does not come here again.
    ///
    /// `channel` is what the link had at `position`; the state that held it is taken.
    mutating func end(_ ending: Ending, at position: LinkPosition, over channel: SecureChannel?) {
        context.deadline = nil
        context.pendingInvitation = nil
        if !ending.waitsForPeer, let end = ending.end { context.effects.emit(.closed(end)) }
        guard let channel else { return endUnsecured(ending) }
        switch ending.farewell {
        case .close(let code):
            let closing = ClosingPhase(ending, code: code, at: position, in: &context)
            state = .secured(SecuredLink(channel: channel, phase: .closing(closing)))
        case .answer:
            context.send(Close(code: .noError))
            state = .flushing(channel.sending)
        case .nothingMore:
            state = .flushing(channel.sending)
        case .silence:
            context.outbox = Outbox()
            state = .closed
        }
        dropUnneededKeys()
    }

    /// Without keys there is no CLOSE. A responder's REFUSAL still goes out; an initiator whose handshake failed sends
    /// nothing more (R9.3-1, R9.4-1).
    private mutating func endUnsecured(_ ending: Ending) {
        if context.role == .initiator || ending.farewell == .silence { context.outbox = Outbox() }
        state = .closed
    }

    /// A link that is over keeps its sending key only as long as frames wait.
    mutating func dropUnneededKeys() {
        if state.isOver, context.outbox.isEmpty { state = .closed }
    }
}
