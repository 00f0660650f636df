public import MultipeerWire

/// Messages and files of an open link. Each request can throw ``RequestError/wrongStage(_:)``; none is taken any more once
/// the app has closed.
extension Link {
    // MARK: Messages

    /// Bytes of messages that wait to be sent. Stop sending while it is high; it falls with ``transmit(into:at:)``.
    public var queuedByteCount: Int { state.payload?.queue.byteCount ?? 0 }

    /// Queues a message.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/messageTooLong(maximum:)``.
    public mutating func send(_ message: [UInt8], at now: Instant) throws(RequestError) {
        let payload = try openPayload(at: now)
        let maximum = payload.summary.peerMaximumMessage
        guard UInt64(message.count) <= maximum else { throw .messageTooLong(maximum: maximum) }
        payload.queue.append(message)
    }

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

    private mutating func openPayload(at now: Instant) throws(RequestError) -> LinkPayload {
        timeout(at: now)
        guard stage == .open, let payload = state.payload else { throw .wrongStage(stage) }
        return payload
    }
}
