import MultipeerWire

/// The session is open (SPEC §15). What a session does by itself changes it in place; what ends it consumes the phase.
struct OpenPhase: ~Copyable {
    let session: Session

    init(summary: LinkSummary, maximumMessage: UInt64) {
        session = Session(summary: summary, maximumMessage: maximumMessage)
    }

    /// The app closes: at once, or as soon as all that is queued has gone out.
    consuming func close(in context: inout LinkContext) -> Phase {
        if session.isDraining { return .open(self) }
        let mustDrain = session.hasPayload
        session.beginDraining(in: &context)
        return mustDrain ? .open(self) : .closing(ClosingPhase(closing: self, in: &context))
    }

    /// The queue stands still: close without the rest. While it moves, however slowly, it has time.
    consuming func timeout(in context: inout LinkContext) -> Phase {
        guard session.hasProgressed else { return .closing(ClosingPhase(closing: self, in: &context)) }
        session.hasProgressed = false
        context.setDeadline(after: context.timeouts.closing)
        return .open(self)
    }
}
