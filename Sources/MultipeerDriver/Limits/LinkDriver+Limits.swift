import MultipeerCore

/// What a peer may hold of this side's memory and time on an open link (docs/decisions/0012-limits-until-open.md).
extension LinkDriver {
    // MARK: Memory

    /// Counts the memory of the peer's unfinished message. Ends the link if there is not enough.
    func countUnfinishedMessage(at now: Instant) {
        let bytes = link.unfinishedMessageBytes
        guard bytes > 0, let peer else { return endCounting() }
        let ticket = messageTicket ?? budget.begin(of: peer, onRevoke: { [wake = onWake] in wake?() })
        messageTicket = ticket
        if !budget.hold(bytes, as: ticket) { giveUpMessage(at: now) }
    }

    /// Ends the link if its unfinished message must make room for others.
    func checkRevocation(at now: Instant) {
        if let messageTicket, budget.isRevoked(messageTicket) { giveUpMessage(at: now) }
    }

    private func giveUpMessage(at now: Instant) {
        endCounting()
        // A link that closes has told its peer already, and must not wait for the rest of a message.
        if link.stage == .closing { abort(at: now) } else { fail(.memory, at: now) }
    }

    func endCounting() {
        guard let ticket = messageTicket.take() else { return }
        budget.end(ticket)
    }

    // MARK: Progress

    /// Looks at the progress at the end of a drain.
    func noteProgress(isWritable: Bool, at now: Instant) {
        watch.note(link.progress, isBlocked: !isWritable, isPaused: !wantsRead, at: now)
    }

    /// Ends the link if one direction has stood still too long.
    func checkProgress(at now: Instant) {
        if let limit = watch.stall(at: now) { link.fail(limit, at: now) }
    }
}
