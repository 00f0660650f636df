import MultipeerWire

/// An association that continues over another link (SPEC §13.9).
extension Association {
    /// No link carries it any more. What belongs to the link alone is dropped.
    mutating func park() {
        control.park()
        dueCredits = []
        ring = BulkRing()
        for item in streams.values { (item.isInRing, item.isCreditQueued) = (false, false) }
        for item in incomingFiles.values { item.isCreditQueued = false }
        for item in outgoingFiles.values { item.pause() }
    }

    /// Up to where the local peer has the files that it receives.
    var receivedPositions: [FilePosition] {
        incomingFiles.values.compactMap { item in item.position.map { FilePosition(id: item.id, offset: $0) } }
            .sorted { $0.id < $1.id }
    }

    /// Whether what the peer states is possible.
    /// - Throws: `malformed` (R13.6-2, R13.9-9).
    func judge(received: UInt64, files: [FilePosition]) throws(LinkFailureCause) {
        guard (kept.acknowledged...kept.sent).contains(received) else {
            throw .malformed(WireError(.valueOutOfRange, in: .receivedCount))
        }
        for file in files {
            let isPossible = outgoingFiles[file.id].map { $0.mayContinue(at: file.offset) } ?? true
            guard numbers.isOwn(file.id), numbers.hasBegun(file.id), streams[file.id] == nil, isPossible else {
                throw .malformed(WireError(.valueOutOfRange, in: .filePositions))
            }
        }
    }

    /// Another link continues it, and the peer has processed so much. What it has not goes out again, before all else (R13.9-8).
    mutating func resume(
        after received: UInt64, files: [FilePosition], keepAlive times: KeepAliveTimes?, at now: Instant,
        into effects: inout EffectQueue
    ) {
        keepAlive = KeepAlive(times: times, now: now)
        ack.resume()
        for range in kept.resume(after: received) { effects.emit(.messages(range, .delivered)) }
        outgoing.resume()
        openingsOut.resume()
        offersOut.resume()
        incoming.resume()
        openings.resume()
        offers.resume()
        for (id, item) in streams.sorted(by: { $0.key < $1.key }) {
            item.sender.resume()
            item.receiver.resume()
            queueCredit(id, item)
        }
        for item in incomingFiles.values.sorted(by: { $0.id < $1.id }) {
            item.resume()
            queueCredit(item)
        }
        let offsets = Dictionary(uniqueKeysWithValues: files.map { ($0.id, $0.offset) })
        for item in outgoingFiles.values.sorted(by: { $0.id < $1.id }) {
            resume(item, at: offsets[item.id], into: &effects)
        }
        if !kept.isRepeating { finishRepeating() }
    }

    /// Writes the next frames that go out again. Returns the kind of the record, or nil if none fits.
    @_lifetime(output: copy output)
    mutating func repeatFrames(
        upTo end: Int, to output: inout OutputSpan<UInt8>, payload kind: RecordKind
    ) -> RecordKind? {
        let isPayload = kept.repeatFrames(upTo: end, to: &output, separates: kind != .encrypted)
        if !kept.isRepeating { finishRepeating() }
        return isPayload.map { $0 ? kind : .encrypted }
    }

    /// All of them are out: limits that were raised follow, and what waits (R13.9-8). CREDIT of a stream or file whose beginning waits
    /// itself waits for that.
    private mutating func finishRepeating() {
        let waiting = control
        let credits = takeDueCredits { waiting.names($0) }
        control.insertFirst(credits)
        continueStreams()
    }
}
