public import MultipeerCore
public import MultipeerDriver
import NIOCore

/// Streams (SPEC §15.6); see ``MultipeerCore/Link``. A request that throws changes nothing.
extension LinkConnection {
    /// Opens a stream. Both peers may send at once.
    /// - Parameters:
    ///   - name: What the stream is for, at most 255 bytes of UTF-8.
    ///   - credit: How many bytes of the peer's direction may wait for this app; 0 for a stream that goes one way.
    public func openStream(named name: String, credit: UInt64 = 32_768) async throws(RequestError) -> StreamID {
        try await drive { (driver, now) throws(RequestError) in
            try driver.openStream(named: name, credit: credit, at: now)
        }
    }

    /// Writes bytes to a stream, and suspends while much waits to be sent. A call that is under way does not end when its task
    /// is cancelled, but when there is room, the direction has ended, or the link has.
    /// - Throws: `RequestError`, with `unknownStream` if the direction has ended, also while the call waits.
    public func write(_ bytes: [UInt8], to stream: StreamID) async throws(RequestError) {
        let error: RequestError? = await withCheckedContinuation { continuation in
            write(bytes, to: stream) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    /// Writes bytes to a stream without a task. `completion` is called once, on the link's event loop: when there is room for more, or
    /// with the reason why there never is.
    package func write(
        _ bytes: [UInt8], to stream: StreamID, completion: @escaping @Sendable (RequestError?) -> Void
    ) {
        let carrier = carrier
        eventLoop.execute { carrier.value.run { $0.write(bytes, to: stream, completion: completion) } }
    }

    /// Returns what comes next of the peer's direction; nil after the end, for a stream from which nothing comes, or if
    /// the task is cancelled.
    public func nextPart(of stream: StreamID) async -> StreamPart? { await queue.nextPart(of: stream) }

    /// The bytes of the peer's direction, in the pieces in which they come. Each piece is delivered once.
    public func bytes(of stream: StreamID) -> StreamBytes { StreamBytes(connection: self, stream: stream) }

    /// Ends the local direction, after what waits.
    public func finishStream(_ stream: StreamID) async throws(RequestError) {
        try await drive { (driver, now) throws(RequestError) in try driver.finishStream(stream, at: now) }
    }

    /// Gives up the local direction, with a code of SPEC §15.6. What waits is dropped.
    public func resetStream(_ stream: StreamID, code: UInt64) async throws(RequestError) {
        try await drive { (driver, now) throws(RequestError) in try driver.resetStream(stream, code: code, at: now) }
    }

    /// Asks the peer to give its direction up, with a code of SPEC §15.6. What waits for the app is dropped.
    public func stopStream(_ stream: StreamID, code: UInt64) async throws(RequestError) {
        try await drive { (driver, now) throws(RequestError) in try driver.stopStream(stream, code: code, at: now) }
    }

    /// Asks the peer to give its direction up, gives the local one up as well if that is wanted, and waits for neither.
    package func abandonStream(_ stream: StreamID, code: UInt64, resets: Bool) {
        guard isActive else { return }
        eventLoop.execute { [carrier] in
            carrier.value.run { handler in
                // Where a direction has ended, nothing happens.
                _ = handler.drive { (driver, now) throws(RequestError) in
                    try driver.stopStream(stream, code: code, at: now)
                }
                guard resets else { return }
                _ = handler.drive { (driver, now) throws(RequestError) in
                    try driver.resetStream(stream, code: code, at: now)
                }
            }
        }
    }
}

/// The bytes of one direction of a stream. The sequence ends where the peer has ended the direction.
public struct StreamBytes: AsyncSequence, Sendable {
    let connection: LinkConnection
    let stream: StreamID

    public func makeAsyncIterator() -> Iterator { Iterator(connection: connection, stream: stream) }

    /// An iterator over the bytes.
    public struct Iterator: AsyncIteratorProtocol {
        let connection: LinkConnection
        let stream: StreamID

        /// Returns the next bytes, or nil at the end.
        /// - Throws: ``StreamCut`` if not all of it came.
        public mutating func next() async throws(StreamCut) -> [UInt8]? { try await next(isolation: nil) }

        /// Returns the next bytes, or nil at the end.
        /// - Throws: ``StreamCut`` if not all of it came.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StreamCut) -> [UInt8]? {
            switch await connection.queue.nextPart(of: stream, isolation: actor) {
            case .bytes(let bytes): return bytes
            case .ended(.complete), nil: return nil
            case .ended(let ending): throw StreamCut(ending: ending)
            }
        }
    }
}

/// A direction of a stream ended before its sender had said that all of it was sent.
public struct StreamCut: Error, Hashable, Sendable {
    /// How it ended.
    public let ending: StreamEnding
}

extension LinkHandler {
    fileprivate func write(
        _ bytes: [UInt8], to stream: StreamID, completion: @escaping LinkDriver.WriteCompletion
    ) {
        driver.write(bytes, to: stream, at: now, completion: completion)
        drain()
    }
}
