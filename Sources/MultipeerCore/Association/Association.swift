import MultipeerWire

/// What two peers say to each other over an open link (SPEC §13). It knows no keys, no records and no other link: it takes
/// frames, writes frames, and tells effects.
///
/// A class because every frame and every record changes it, in place, while the phase that owns it stays where it is
/// (moving so large a value was a fifth of the cost of a small message). One phase at a time has it.
final class Association {
    /// What an association needs to know.
    struct Settings {
        /// The longest message that this side takes, in bytes.
        let maximumMessage: UInt64
        /// Whether the app is asked for memory before a message that does not fit is granted credit. Otherwise there is
        /// always enough.
        let asksForMemory: Bool
        /// When a peer that says nothing is asked, and given up; nil for never.
        let keepAlive: KeepAliveTimes?
    }

    private let asksForMemory: Bool
    var incoming: IncomingMessages
    var outgoing = OutgoingMessages()
    var ack = AckState()
    var keepAlive: KeepAlive
    /// Control frames that wait, in order.
    var control = ControlQueue()

    init(_ settings: Settings, now: Instant) {
        asksForMemory = settings.asksForMemory
        incoming = IncomingMessages(maximum: settings.maximumMessage)
        keepAlive = KeepAlive(times: settings.keepAlive, now: now)
    }

    // MARK: Time

    /// When to call ``timeout(at:into:)``.
    var deadline: Instant? { [ack.deadline, keepAlive.deadline, incoming.deadline].compactMap { $0 }.min() }

    /// Does what is due.
    /// - Throws: `silent`.
    func timeout(at now: Instant, into effects: inout EffectQueue) throws(LinkFailureCause) {
        ack.timeout(at: now)
        if incoming.isStalled(at: now) { effects.emit(.messageStalled) }
        try keepAlive.timeout(at: now)
    }

    // MARK: Requests

    /// Queues a message.
    func send(_ message: [UInt8]) -> MessageTag { outgoing.append(message) }

    /// Takes a message back that has not been begun, which has then sent nothing (SPEC §15.1).
    func takeBack(_ tag: MessageTag, into effects: inout EffectQueue) -> Bool {
        guard outgoing.takeBack(tag) else { return false }
        effects.emit(.messages(MessageRange(first: tag, last: tag), .notSent))
        return true
    }

    /// The app has taken messages that used so much credit.
    func took(credit: UInt64, at now: Instant, into effects: inout EffectQueue) {
        incoming.took(credit: credit)
        settleCredit(at: now, into: &effects)
    }

    /// The app has memory for a message that wanted it.
    func grant(memory count: UInt64, at now: Instant, into effects: inout EffectQueue) {
        incoming.receive(memory: count)
        settleCredit(at: now, into: &effects)
    }

    /// Grants what may be granted, and says what memory is lacking or free again.
    func settleCredit(at now: Instant, into effects: inout EffectQueue) {
        while case .wanted(let count) = incoming.grant(at: now) {
            guard !asksForMemory else {
                effects.emit(.memoryWanted(count))
                break
            }
            incoming.receive(memory: count)
        }
        let returned = incoming.releaseMemory()
        if returned > 0, asksForMemory { effects.emit(.memoryReturned(returned)) }
    }

    // MARK: The end

    /// The app closes: what waits goes out first. Whether anything does.
    var hasQueued: Bool { !outgoing.isEmpty }

    /// Drops what has not been sent, and says so (R13.6-3). Returns how many messages that were.
    @discardableResult
    func dropUnsent(into effects: inout EffectQueue) -> Int {
        let count = outgoing.count
        for range in outgoing.dropWaiting() { effects.emit(.messages(range, .notSent)) }
        return count
    }

    /// The link is over: says what has become of all messages (R13.6-3).
    func end(into effects: inout EffectQueue) {
        dropUnsent(into: &effects)
        for range in outgoing.takeUnacknowledged() { effects.emit(.messages(range, .inDoubt)) }
    }
}
