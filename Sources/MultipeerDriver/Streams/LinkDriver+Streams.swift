public import MultipeerCore

/// Streams of the app, on the driver's thread (SPEC §15.6). Drain the driver after each of them.
extension LinkDriver {
    /// Called when a stream takes more bytes, or with the reason why it never will.
    public typealias WriteCompletion = @Sendable (RequestError?) -> Void

    /// How many bytes of a stream may wait to be sent before its writers do.
    static let streamLowWater = 32_768

    /// Opens a stream (`Link.openStream(named:credit:at:)`).
    public func openStream(
        named name: String, credit: UInt64 = 32_768, at now: Instant
    ) throws(RequestError) -> StreamID {
        queueAcceptedMessages(at: now)  // what was sent before comes before
        let stream = try link.openStream(named: name, credit: credit, at: now)
        if credit > 0 { events.expect(stream) }
        return stream
    }

    /// Queues bytes for a stream, and calls `completion` once little waits: then the app may write on.
    public func write(
        _ bytes: [UInt8], to stream: StreamID, at now: Instant, completion: @escaping WriteCompletion
    ) {
        do throws(RequestError) {
            try link.write(bytes, to: stream, at: now)
        } catch {
            return completion(error)
        }
        guard link.queuedByteCount(of: stream) > Self.streamLowWater else { return completion(nil) }
        context.writers[stream, default: []].append(completion)
    }

    /// Ends the local direction after what waits.
    public func finishStream(_ stream: StreamID, at now: Instant) throws(RequestError) {
        try link.finishStream(stream, at: now)
        // What waits will go out, and nobody may write after it.
        resumeWriters(of: stream, nil)
    }

    /// Gives up the local direction, with a code of SPEC §15.6.
    public func resetStream(_ stream: StreamID, code: UInt64, at now: Instant) throws(RequestError) {
        try link.resetStream(stream, code: code, at: now)
        resumeWriters(of: stream, .unknownStream)
    }

    /// Asks the peer to give its direction up, with a code of SPEC §15.6. What waits for the app is dropped.
    public func stopStream(_ stream: StreamID, code: UInt64, at now: Instant) throws(RequestError) {
        // Also if the peer has ended its direction before: what waits would never be taken, and its opening never come back.
        defer { events.drop(stream) }
        try link.stopStream(stream, code: code, at: now)
    }

    /// Passes a stream's event on. Callers that wait to write hear of it first.
    func deliver(_ event: StreamEvent) {
        switch event {
        case .writable(let stream) where context.writers[stream] != nil: return resumeWriters(of: stream, nil)
        case .stopped(let stream, _): resumeWriters(of: stream, .unknownStream)
        default: break
        }
        events.push(.stream(event))
    }

    private func resumeWriters(of stream: StreamID, _ error: RequestError?) {
        for completion in context.writers.removeValue(forKey: stream) ?? [] { completion(error) }
    }
}
