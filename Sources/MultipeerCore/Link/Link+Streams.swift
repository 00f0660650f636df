import MultipeerCrypto
import MultipeerWire

/// Streams of an open link (SPEC §15.6). Each request can throw ``RequestError/wrongStage(_:)``; none is taken any more once
/// the app has closed.
extension Link {
    /// Opens a stream. Both peers may send at once.
    /// - Parameters:
    ///   - name: What the stream is for, at most 255 bytes of UTF-8.
    ///   - credit: How many bytes of the peer's direction the app may leave untaken; 0 for a stream that goes one way.
    ///   - now: The time.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/tooManyStreams``, ``RequestError/invalidStream``.
    public mutating func openStream(
        named name: String, credit: UInt64 = 32_768, at now: Instant
    ) throws(RequestError) -> StreamID {
        try openPayload(at: now).association.openStream(name: Array(name.utf8), credit: credit)
    }

    /// Queues bytes for a stream. Stop writing while ``queuedByteCount(of:)`` is high; ``StreamEvent/writable(_:)``
    /// says when to continue.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownStream``.
    public mutating func write(_ bytes: [UInt8], to stream: StreamID, at now: Instant) throws(RequestError) {
        try openPayload(at: now).association.write(bytes, to: stream)
    }

    /// Bytes of a stream that wait to be sent.
    public func queuedByteCount(of stream: StreamID) -> Int {
        state.payload?.association.streams[stream.rawValue]?.sender.byteCount ?? 0
    }

    /// Ends the local direction, after what waits.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownStream``.
    public mutating func finishStream(_ stream: StreamID, at now: Instant) throws(RequestError) {
        try openPayload(at: now).association.finish(stream)
    }

    /// Gives up the local direction, with a code of SPEC §15.6; what waits is dropped.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownStream``.
    public mutating func resetStream(_ stream: StreamID, code: UInt64, at now: Instant) throws(RequestError) {
        try openPayload(at: now).association.reset(stream, code: code)
    }

    /// Asks the peer to give its direction up, with a code of SPEC §15.6; what still comes of it is dropped.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownStream``.
    public mutating func stopStream(_ stream: StreamID, code: UInt64, at now: Instant) throws(RequestError) {
        try openPayload(at: now).association.stop(stream, code: code)
    }

    /// The app has taken bytes of a stream: the peer may send as many more. A link that is not open any more needs not know.
    public mutating func releaseCredit(_ count: Int, of stream: StreamID, at now: Instant) {
        begin(at: now)
        state.payload?.association.releaseCredit(count, of: stream)
    }

    /// The app has taken the end of the peer's direction (``StreamEvent/ended(_:_:)``).
    public mutating func tookEnd(of stream: StreamID, at now: Instant) {
        begin(at: now)
        state.payload?.association.tookEnd(of: stream)
    }
}
