public import MultipeerWire

/// Streams and files of open links, as `Link` has them. A link that is over counts as closed: each request can throw
/// ``RequestError/wrongStage(_:)``.
extension Node {
    /// The link of a request, which may change it.
    private mutating func payloadLink(_ number: LinkNumber, at now: Instant) throws(RequestError) -> NodeLink {
        guard let link = reach(number, at: now) else { throw .wrongStage(.closed) }
        return link
    }

    // MARK: Streams

    /// `Link.openStream(named:credit:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func openStream(
        named name: String, credit: UInt64 = 32_768, on number: LinkNumber, at now: Instant
    ) throws(RequestError) -> StreamID {
        defer { settle() }
        return try payloadLink(number, at: now).link.openStream(named: name, credit: credit, at: now)
    }

    /// `Link.write(_:to:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func write(
        _ bytes: [UInt8], to stream: StreamID, on number: LinkNumber, at now: Instant
    ) throws(RequestError) {
        defer { settle() }
        try payloadLink(number, at: now).link.write(bytes, to: stream, at: now)
    }

    /// Bytes of a stream that wait to be sent.
    public func queuedByteCount(of stream: StreamID, on number: LinkNumber) -> Int {
        links[number]?.link.queuedByteCount(of: stream) ?? 0
    }

    /// `Link.finishStream(_:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func finishStream(
        _ stream: StreamID, on number: LinkNumber, at now: Instant
    ) throws(RequestError) {
        defer { settle() }
        try payloadLink(number, at: now).link.finishStream(stream, at: now)
    }

    /// `Link.resetStream(_:code:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func resetStream(
        _ stream: StreamID, code: UInt64, on number: LinkNumber, at now: Instant
    ) throws(RequestError) {
        defer { settle() }
        try payloadLink(number, at: now).link.resetStream(stream, code: code, at: now)
    }

    /// `Link.stopStream(_:code:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func stopStream(
        _ stream: StreamID, code: UInt64, on number: LinkNumber, at now: Instant
    ) throws(RequestError) {
        defer { settle() }
        try payloadLink(number, at: now).link.stopStream(stream, code: code, at: now)
    }

    /// `Link.tookEnd(of:at:)` of a stream.
    public mutating func tookEnd(of stream: StreamID, on number: LinkNumber, at now: Instant) {
        defer { settle() }
        reach(number, at: now)?.link.tookEnd(of: stream, at: now)
    }

    // MARK: Files

    /// `Link.offerFile(_:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func offerFile(
        _ offer: OutgoingOffer, on number: LinkNumber, at now: Instant
    ) throws(RequestError) -> FileID {
        defer { settle() }
        return try payloadLink(number, at: now).link.offerFile(offer, at: now)
    }

    /// `Link.submitBeginning(_:of:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func submitBeginning(
        _ beginning: HeldBeginning, of file: FileID, on number: LinkNumber, at now: Instant
    ) throws(RequestError) {
        defer { settle() }
        try payloadLink(number, at: now).link.submitBeginning(beginning, of: file, at: now)
    }

    /// `Link.supply(_:to:from:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func supply(
        _ chunk: [UInt8], to file: FileID, from offset: UInt64? = nil, on number: LinkNumber, at now: Instant
    ) throws(RequestError) {
        defer { settle() }
        try payloadLink(number, at: now).link.supply(chunk, to: file, from: offset, at: now)
    }

    /// `Link.cancelFile(_:reason:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func cancelFile(
        _ file: FileID, reason: FileCancel.Reason = .cancelled, on number: LinkNumber, at now: Instant
    ) throws(RequestError) {
        defer { settle() }
        try payloadLink(number, at: now).link.cancelFile(file, reason: reason, at: now)
    }

    /// `Link.acceptFile(_:holding:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func acceptFile(
        _ file: FileID, holding held: HeldBeginning? = nil, on number: LinkNumber, at now: Instant
    ) throws(RequestError) {
        defer { settle() }
        try payloadLink(number, at: now).link.acceptFile(file, holding: held, at: now)
    }

    /// `Link.refuseFile(_:reason:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func refuseFile(
        _ file: FileID, reason: FileCancel.Reason = .declined, on number: LinkNumber, at now: Instant
    ) throws(RequestError) {
        defer { settle() }
        try payloadLink(number, at: now).link.refuseFile(file, reason: reason, at: now)
    }

    /// `Link.confirmFile(_:renamed:at:)`.
    /// - Throws: ``RequestError``.
    public mutating func confirmFile(
        _ file: FileID, renamed: RenamedNames? = nil, on number: LinkNumber, at now: Instant
    ) throws(RequestError) {
        defer { settle() }
        try payloadLink(number, at: now).link.confirmFile(file, renamed: renamed, at: now)
    }

    /// `Link.releaseCredit(_:of:at:)` of a file.
    public mutating func releaseCredit(_ count: Int, of file: FileID, on number: LinkNumber, at now: Instant) {
        defer { settle() }
        reach(number, at: now)?.link.releaseCredit(count, of: file, at: now)
    }

    /// `Link.tookEnd(of:at:)` of a file.
    public mutating func tookEnd(of file: FileID, on number: LinkNumber, at now: Instant) {
        defer { settle() }
        reach(number, at: now)?.link.tookEnd(of: file, at: now)
    }
}
