import MultipeerWire

extension Link {
    /// Ends the link. Nothing else does, and a link that is over does not come here again.
    ///
    /// `channel` is what the link had at `position`; the state that held it is taken.
    @inline(never)  // rare: docs/decisions/0025
    mutating func end(_ ending: Ending, at position: LinkPosition, over channel: SecureChannel?) {
        context.deadline = nil
        context.pendingInvitation = nil
        if !ending.waitsForPeer, let end = ending.end {
            // Until now ACK could still come (R16.1-3).
            if let carried = position.carried { leave(carried, by: ending, at: position) }
            context.isFailureAttributable = context.isHandlingFrames && position.isPeerProved
            context.effects.emit(.closed(end))
        }
        context.association?.stopWaiting(on: context)
        (context.exports, context.pendingResume) = (nil, nil)
        channel?.exports.destroy()
        channel?.strings.destroy()
        guard let channel else { return endUnsecured(ending) }
        switch ending.farewell {
        case .close(let code):
            // What has come is acknowledged, unless an error ends the link.
            if ending.delivering != nil { sendLastFrames(of: position.carried) }
            let closing = ClosingPhase(ending, code: code, at: position, in: context)
            state = .secured(SecuredLink(channel: channel, phase: .closing(closing)))
        case .answer:
            sendLastFrames(of: position.carried)
            context.send(Close(code: .noError))
            state = LinkState(flushing: channel)
        case .nothingMore:
            state = LinkState(flushing: channel)
        case .silence:
            context.outbox = Outbox()
            state = .closed
        }
        dropUnneededKeys()
    }

    /// The association ends with the link, or waits for another one.
    private func leave(_ carried: OpenLink, by ending: Ending, at position: LinkPosition) {
        if ending.leavesResumable(at: position.stage), carried.park() {
            context.associationEnd = .resumable
        } else {
            carried.association.end(into: &context.effects)
            if carried.resumable?.carrier === carried { carried.resumable?.forget() }
        }
    }

    /// Control frames that wait go out before CLOSE (R16.1-2), and ACK right before it, if it can say something
    /// (R13.6-1).
    private mutating func sendLastFrames(of payload: OpenLink?) {
        guard let payload else { return }
        for frame in payload.association.takeControl() { context.outbox.control.append(frame) }
        if let ack = payload.association.takeLastAck() { context.send(ack) }
        // These are frames of an open link still (R12.6-5).
        if context.now >= context.rekeyDue, context.outbox.control.holdsFrameOfOpenLink { insertRekey() }
    }

    /// Without keys there is no CLOSE. A responder's REFUSAL still goes out; an initiator whose handshake failed sends
    /// nothing more (R9.3-1, R9.4-1).
    private mutating func endUnsecured(_ ending: Ending) {
        if context.role == .initiator || ending.farewell == .silence { context.outbox = Outbox() }
        state = .closed
    }

    /// A link that has ended keeps its sending key only as long as frames wait: CLOSE is the last of them (R9.7-3).
    mutating func dropUnneededKeys() {
        guard context.outbox.isEmpty else { return }
        if state.isOver { state = .closed }
        if stage == .closing { dropKeys(sending: true) }
    }
}
