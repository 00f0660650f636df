import MultipeerCrypto
public import MultipeerWire

/// Messages and files of an open link. Each request can throw ``RequestError/wrongStage(_:)``; none is taken any more once
/// the app has closed.
extension Link {
    // MARK: Messages

    /// Bytes of messages that wait to be sent. Stop sending while it is high; it falls with ``transmit(into:at:)``.
    public var queuedByteCount: Int { state.payload?.association.outgoing.byteCount ?? 0 }

    /// Queues a message. Its end comes by ``LinkEffect/messages(_:_:)``, under the tag that this returns.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/messageTooLong(maximum:)``.
    @discardableResult
    public mutating func send(_ message: [UInt8], at now: Instant) throws(RequestError) -> MessageTag {
        let payload = try openPayload(at: now)
        let maximum = payload.summary.peerMaximumMessage
        guard UInt64(message.count) <= maximum else { throw .messageTooLong(maximum: maximum) }
        return payload.association.send(message)
    }

    /// Takes a message back of which nothing has been sent. Returns whether that was so; its result is
    /// ``MessageResult/notSent`` then (SPEC §15.1).
    public mutating func takeBack(_ message: MessageTag, at now: Instant) -> Bool {
        timeout(at: now)
        return state.payload?.association.takeBack(message, into: &context.effects) ?? false
    }

    /// What a message of so many bytes uses of its receiver's credit (SPEC §13.3).
    public static func messageCredit(ofLength count: Int) -> UInt64 {
        OutgoingMessages.fixedCost + UInt64(clamping: count)
    }

    /// The app has taken messages that were handed out: the peer may send as many more (R13.5-2). A link that is not open
    /// any more needs not know.
    /// - Parameters:
    ///   - credit: What these messages have used in all (``messageCredit(ofLength:)``).
    ///   - now: The time.
    public mutating func took(credit: UInt64, at now: Instant) {
        timeout(at: now)
        state.payload?.association.took(credit: credit, at: now, into: &context.effects)
    }

    /// There is memory for a message that wanted it (``LinkEffect/memoryWanted(_:)``). Whatever was granted and has not
    /// come back by ``LinkEffect/memoryReturned(_:)`` is free when the link has ended.
    public mutating func grantMemory(_ count: UInt64, at now: Instant) {
        timeout(at: now)
        state.payload?.association.grant(memory: count, at: now, into: &context.effects)
    }

    /// The time from the last PING that the peer answered to its answer (SPEC §13.7).
    public var roundTrip: Duration? { state.payload?.association.keepAlive.roundTrip }

    // MARK: Files that this side sends

    /// Offers a file. `name` has 1–255 bytes of UTF-8; `size` is in bytes.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/fileUnderWay``, ``RequestError/invalidFile``.
    public mutating func offerFile(name: String, size: UInt64, at now: Instant) throws(RequestError) -> FileID {
        try openPayload(at: now).outgoing.offer(name: Array(name.utf8), size: size, in: &context)
    }

    /// Supplies the bytes that ``OutgoingFileEvent/wanted(_:offset:maximum:)`` asked for.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``, ``RequestError/wrongChunkLength``.
    public mutating func supply(_ chunk: [UInt8], to file: FileID, at now: Instant) throws(RequestError) {
        try openPayload(at: now).outgoing.supply(chunk, to: file)
    }

    /// Ends the file that this side sends.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func cancelFile(
        _ file: FileID, reason: FileCancel.Reason = .cancelled, at now: Instant
    ) throws(RequestError) {
        try openPayload(at: now).outgoing.cancel(file, reason: reason, in: &context)
    }

    // MARK: Files that the peer sends

    /// Accepts the file that the peer offers.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func acceptFile(_ file: FileID, at now: Instant) throws(RequestError) {
        try openPayload(at: now).incoming.accept(file, in: &context)
    }

    /// Declines the file that the peer offers, or ends it.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func refuseFile(
        _ file: FileID, reason: FileCancel.Reason = .declined, at now: Instant
    ) throws(RequestError) {
        try openPayload(at: now).incoming.refuse(file, reason: reason, in: &context)
    }

    /// Tells the peer that its file is stored, after ``IncomingFileEvent/complete(_:_:)``.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func confirmFile(_ file: FileID, at now: Instant) throws(RequestError) {
        try openPayload(at: now).incoming.confirm(file, in: &context)
    }

    // MARK: Keys

    /// Replaces the key of what this side sends, before anything else goes out. What was sent before cannot be read with
    /// the key that memory holds afterwards (SPEC §12.6). A link that is in use does so by itself every ten minutes.
    /// - Throws: ``RequestError/wrongStage(_:)``.
    public mutating func rekey(at now: Instant) throws(RequestError) {
        _ = try openPayload(at: now)
        context.outbox.control.insertRekey()
    }

    /// Derives bytes that both sides of this link can compute and nobody else (SPEC §9.8). They are bound to this link, its
    /// negotiation and both identity keys, and stay the same as long as the link is open. The result is a secret.
    /// - Parameters:
    ///   - label: What the bytes are for, 1–255 bytes. Begin it with a domain name of yours: "multipeer/" is taken.
    ///   - context: For which instance of it, at most 1,024 bytes.
    ///   - length: How many bytes, 1 to 8,160.
    ///   - now: The time.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/invalidExport``, ``RequestError/crypto(_:)``.
    public mutating func export(
        label: [UInt8], context exportContext: [UInt8], length: Int, at now: Instant
    ) throws(RequestError) -> [UInt8] {
        _ = try openPayload(at: now)
        guard Exporter.accepts(label: label, context: exportContext, length: length) else { throw .invalidExport }
        let bytes: [UInt8]?
        do {
            bytes = try state.exports?.export(label: label, context: exportContext, length: length)
        } catch {
            throw .crypto(error)
        }
        guard let bytes else { throw .wrongStage(stage) }
        return bytes
    }

    private mutating func openPayload(at now: Instant) throws(RequestError) -> LinkPayload {
        timeout(at: now)
        guard stage == .open, let payload = state.payload else { throw .wrongStage(stage) }
        return payload
    }
}
