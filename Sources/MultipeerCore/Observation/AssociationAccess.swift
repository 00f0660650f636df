public import MultipeerCrypto
public import MultipeerWire

/// An association by itself (SPEC §13), without link, keys and records, for test vectors.
@_spi(Observation)
public final class AssociationAccess {
    private var association: Association
    private let peerMaximumMessage: UInt64
    private let keepAlive: KeepAliveTimes?
    private var effects = EffectQueue()

    /// Begins an association. There is always memory for what the peer sends.
    /// - Parameters:
    ///   - hasLesserKey: Whether the local peer's streams and files have even numbers (SPEC §13.2).
    ///   - maximumMessage: The longest message that the local peer takes.
    ///   - peerMaximumMessage: The longest message that the peer takes.
    ///   - keepAlive: When the peer is asked and given up; nil for never.
    ///   - digest: SHA-256 of files.
    ///   - mayResume: Whether frames are kept until they are acknowledged (R13.9-2).
    ///   - now: The time.
    public init(
        hasLesserKey: Bool, maximumMessage: UInt64, peerMaximumMessage: UInt64, keepAlive: KeepAliveTimes?,
        digest: any BulkDigest, mayResume: Bool = false, now: Instant
    ) {
        let settings = Association.Settings(
            maximumMessage: maximumMessage, asksForMemory: false, keepAlive: keepAlive,
            messageWindow: IncomingMessages.base, fileWindow: FileAccept.usualCredit,
            numbers: hasLesserKey ? .even : .odd, digest: digest, mayResume: mayResume)
        association = Association(settings, now: now)
        (self.peerMaximumMessage, self.keepAlive) = (peerMaximumMessage, keepAlive)
    }

    // MARK: Frames and time

    /// A record with this one frame came.
    public func receive(_ bytes: [UInt8], at now: Instant) throws(LinkFailureCause) {
        association.keepAlive.heard(at: now)
        var cursor = FrameCursor(bytes.span)
        let next: RawFrame?
        do { next = try cursor.next() } catch { throw LinkFailureCause(error) }
        guard let frame = next, let type = frame.type else { return }
        try association.receive(frame, type: type, at: now, into: &effects)
    }

    /// When to call ``timeout(at:)``.
    public var deadline: Instant? { association.deadline }

    /// Does what is due.
    public func timeout(at now: Instant) throws(LinkFailureCause) { try association.timeout(at: now, into: &effects) }

    /// What happened next.
    public func nextEffect() -> LinkEffect? { effects.next() }

    /// All frames that can be sent now.
    public func takeFrames(at now: Instant) -> [UInt8] {
        var frames: [UInt8] = []
        while true {
            let before = frames.count
            frames.append(addingCapacity: FrameType.maximumPayloadLength) { (output: inout OutputSpan<UInt8>) in
                write(to: &output, at: now)
            }
            if frames.count == before { return frames }
        }
    }

    /// One record.
    @_lifetime(output: copy output)
    private func write(to output: inout OutputSpan<UInt8>, at now: Instant) {
        let end = output.count + output.freeCapacity
        if association.kept.isRepeating {
            _ = association.repeatFrames(upTo: end, to: &output, payload: .encrypted)
            return
        }
        if association.hasControl { association.writeControl(room: end - output.count, to: &output, at: now) }
        association.writePayload(upTo: end, to: &output, into: &effects)
        if association.hasControl { association.writeControl(room: end - output.count, to: &output, at: now) }
    }

    // MARK: Another link

    /// The link is lost, and another one may continue the association. Returns what RESUME or RESUMED says (SPEC §13.9).
    public func park() -> (received: UInt64, files: [FilePosition]) {
        association.park()
        return (association.ack.processed, association.receivedPositions)
    }

    /// Another link has opened by RESUMED, and this is what the peer has said.
    /// - Throws: `malformed`, if that is not possible (R13.6-2, R13.9-9).
    public func resume(
        after received: UInt64, files: [FilePosition], at now: Instant
    ) throws(LinkFailureCause) {
        try association.judge(received: received, files: files)
        association.resume(after: received, files: files, keepAlive: keepAlive, at: now, into: &effects)
    }

    // MARK: The end

    /// The app closes: streams and files that live are given up (R16.1-5).
    public func abandon() { association.abandon(into: &effects) }

    /// The link has ended.
    public func end() { association.end(into: &effects) }

    // MARK: Messages

    public func send(_ message: [UInt8]) throws(RequestError) -> MessageTag {
        guard UInt64(message.count) <= peerMaximumMessage else { throw .messageTooLong(maximum: peerMaximumMessage) }
        return association.send(message)
    }

    public func takeBack(_ message: MessageTag) -> Bool { association.takeBack(message, into: &effects) }

    public func releaseCredit(_ credit: UInt64, at now: Instant) {
        association.releaseCredit(credit, at: now, into: &effects)
    }

    // MARK: Streams

    public func openStream(named name: String, credit: UInt64) throws(RequestError) -> StreamID {
        try association.openStream(name: Array(name.utf8), credit: credit)
    }

    public func write(_ bytes: [UInt8], to stream: StreamID) throws(RequestError) {
        try association.write(bytes, to: stream)
    }

    public func finish(_ stream: StreamID) throws(RequestError) { try association.finish(stream) }

    public func reset(_ stream: StreamID, code: UInt64) throws(RequestError) {
        try association.reset(stream, code: code)
    }

    public func stop(_ stream: StreamID, code: UInt64) throws(RequestError) { try association.stop(stream, code: code) }

    public func releaseCredit(_ count: Int, of stream: StreamID) { association.releaseCredit(count, of: stream) }

    public func tookEnd(of stream: StreamID) { association.tookEnd(of: stream) }

    // MARK: Files

    public func offer(_ offer: OutgoingOffer) throws(RequestError) -> FileID { try association.offer(offer) }

    public func submitBeginning(_ beginning: HeldBeginning, of file: FileID) throws(RequestError) {
        try association.submitBeginning(beginning, of: file, into: &effects)
    }

    public func supply(_ chunk: [UInt8], to file: FileID) throws(RequestError) {
        try association.supply(chunk, to: file)
    }

    public func cancel(_ file: FileID, _ reason: FileCancel.Reason) throws(RequestError) {
        try association.cancelOutgoing(file, reason, into: &effects)
    }

    public func accept(
        _ file: FileID, holding held: HeldBeginning?, credit: UInt64?, looks: Bool
    ) throws(RequestError) {
        try association.accept(file, held: held, credit: credit, looks: looks, into: &effects)
    }

    public func consent(to file: FileID) throws(RequestError) { try association.consent(to: file) }

    public func refuse(_ file: FileID, _ reason: FileCancel.Reason) throws(RequestError) {
        try association.refuse(file, reason, into: &effects)
    }

    public func confirm(_ file: FileID) throws(RequestError) { try association.confirm(file) }

    public func releaseCredit(_ count: Int, of file: FileID) { association.releaseCredit(count, of: file) }

    public func tookEnd(of file: FileID) { association.tookEnd(of: file) }
}
