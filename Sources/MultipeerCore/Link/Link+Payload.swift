import MultipeerCrypto
import MultipeerWire

/// Messages and keys of an open link. Each request can throw ``RequestError/wrongStage(_:)``; none is taken any more once
/// the app has closed.
extension Link {
    // MARK: Messages

    /// Bytes of messages that wait to be sent. Stop sending while it is high; it falls with ``transmit(into:at:)``.
    public var queuedByteCount: Int { state.payload?.association.outgoing.byteCount ?? 0 }

    /// Queues a message. Its end comes by ``LinkEffect/messages(_:_:)``, under the tag that this returns.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/messageTooLong(maximum:)``.
    @discardableResult
    public mutating func send(_ message: [UInt8], at now: Instant) throws(RequestError) -> MessageTag {
        begin(at: now)
        guard stage == .open, let tag = try state.send(message) else { throw .wrongStage(stage) }
        return tag
    }

    /// Takes a message back of which nothing has been sent. Returns whether that was so; its result is
    /// ``MessageResult/notSent`` then (SPEC §15.1).
    public mutating func takeBack(_ message: MessageTag, at now: Instant) -> Bool {
        begin(at: now)
        return state.payload?.association.takeBack(message, into: &context.effects) ?? false
    }

    /// How much of its receiver's credit a message of `count` bytes uses (SPEC §13.3).
    public static func messageCredit(ofLength count: Int) -> UInt64 {
        OutgoingMessages.fixedCost + UInt64(clamping: count)
    }

    /// The app has taken messages that were handed out: the peer may send as many more (R13.5-2). A link that is not open
    /// any more needs not know.
    /// - Parameters:
    ///   - credit: What these messages have used in all (``messageCredit(ofLength:)``).
    ///   - now: The time.
    public mutating func releaseCredit(_ credit: UInt64, at now: Instant) {
        begin(at: now)
        state.payload?.association.releaseCredit(credit, at: now, into: &context.effects)
    }

    /// The app takes no more messages. What still comes counts as taken for credit, and is not acknowledged, so that the
    /// peer knows it was not delivered (SPEC §16.4). For an app that has closed and gone.
    public mutating func dropMessages(at now: Instant) {
        begin(at: now)
        state.payload?.association.dropMessages()
    }

    /// There is memory for a message that wanted it (``LinkEffect/memoryWanted(_:)``). Whatever was granted and has not
    /// come back by ``LinkEffect/memoryReturned(_:)`` is free when the link has ended.
    public mutating func grantMemory(_ count: UInt64, at now: Instant) {
        begin(at: now)
        state.payload?.association.grant(memory: count, at: now, into: &context.effects)
    }

    /// The next stream or file of the peer that could use more memory than it has by right, or its messages; each once. Answer by
    /// `grantBulk`, or not (SPEC §13.5).
    public mutating func nextBulkClaim() -> BulkClaim? { state.payload?.association.bulkMemory.next() }

    /// There are `count` bytes, at most as many as were claimed, for what claimed them. ``heldBulkMemory`` falls again
    /// when it has ended.
    public mutating func grantBulk(_ count: UInt64, for claim: BulkClaim, at now: Instant) {
        begin(at: now)
        state.payload?.association.grant(bulk: count, for: claim)
    }

    /// How many bytes beyond what each of them has by right streams, files and messages of the peer have been granted.
    public var heldBulkMemory: UInt64 { state.payload?.association.bulkMemory.held ?? 0 }

    /// The time from the last PING that the peer answered to its answer (SPEC §13.7).
    public var roundTrip: Duration? { state.payload?.association.keepAlive.roundTrip }

    // MARK: Keys

    /// Replaces the key of what the local peer sends, before anything else goes out. What was sent before cannot be
    /// read with the key that memory holds afterwards (SPEC §12.6). A link that is in use does so by itself every ten
    /// minutes.
    /// - Throws: ``RequestError/wrongStage(_:)``.
    public mutating func rekey(at now: Instant) throws(RequestError) {
        _ = try livePayload(at: now)
        context.outbox.control.insertRekey()
    }

    /// Derives bytes that both peers of this link can compute and nobody else (SPEC §9.8). They are bound to this link,
    /// its negotiation and both identity keys, and stay the same as long as the link is open. The result is a secret.
    /// - Parameters:
    ///   - label: What the bytes are for, 1–255 bytes. Begin it with a domain name of yours: "multipeer/" is taken.
    ///   - exportContext: For which instance of it, at most 1,024 bytes.
    ///   - length: How many bytes, 1 to 8,160.
    ///   - now: The time.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/invalidExport``, ``RequestError/crypto(_:)``.
    public mutating func export(
        label: [UInt8], context exportContext: [UInt8], length: Int, at now: Instant
    ) throws(RequestError) -> [UInt8] {
        _ = try livePayload(at: now)
        guard Exporter.isForApps(label: label),
            Exporter.accepts(label: label, context: exportContext, length: length)
        else { throw .invalidExport }
        let bytes: [UInt8]?
        do {
            bytes = try state.exports?.export(label: label, context: exportContext, length: length)
        } catch {
            throw .crypto(error)
        }
        guard let bytes else { throw .wrongStage(stage) }
        return bytes
    }

    /// The payload of a link that is open for the peer, also while it drains.
    mutating func livePayload(at now: Instant) throws(RequestError) -> OpenLink {
        begin(at: now)
        guard let payload = state.payload else { throw .wrongStage(stage) }
        return payload
    }

    mutating func openPayload(at now: Instant) throws(RequestError) -> OpenLink {
        begin(at: now)
        guard stage == .open, let payload = state.payload else { throw .wrongStage(stage) }
        return payload
    }
}
