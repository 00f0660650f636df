import MultipeerCrypto
import MultipeerWire

/// What travels on an open link: messages and files, both ways (SPEC §15).
///
/// A class because every frame and every record changes it, in place, while the phase that owns it stays where it is:
/// moving so large a value out of the link and back was a fifth of the cost of a small message. One phase at a time has
/// it, and phases cannot be copied; nobody else keeps it.
final class OpenLink {
    let summary: LinkSummary
    /// Messages, streams, files, credit and keep-alive.
    // Unchecked in release builds: see docs/decisions/0022.
    #if !DEBUG && !LIBFUZZER
        @safe @exclusivity(unchecked)
    #endif
    var association: Association
    /// When the certificates that the verdict rests on are over (R10.5-5).
    private let trustEnd: Instant?
    /// When a link that drains sends CLOSE, however much still moves (SPEC §16.4); nil until its app closes it.
    var drainLimit: Instant?
    /// How far both directions have come, for drivers that watch it.
    private var sent = PayloadProgress.Mark()
    private var received = PayloadProgress.Mark()
    /// The receiver of the frames of §14.
    private(set) var session: SessionPart
    private let settings: Association.Settings
    /// What the association needs to continue over another link; nil if it ends with this one.
    var resumable: ResumableAssociation?
    /// What the peer shows by its first frame of an open link after RESUMED.
    private var unshownEpoch: UInt64?

    /// READY has opened the link, and an association begins.
    init(
        summary: LinkSummary, session: SessionPart, settings: Association.Settings, trustEnd: Instant?, now: Instant
    ) {
        self.trustEnd = trustEnd
        self.summary = summary
        self.session = session
        self.settings = settings
        association = Association(settings, now: now)
        session.open(into: &association.control, at: now)
    }

    /// RESUMED has opened the link, and continues an association.
    init(
        _ association: consuming Association, of resumable: ResumableAssociation, _ resumption: Resumption,
        settings: Association.Settings, in context: LinkContext
    ) {
        trustEnd = resumable.terms.trustEnd
        summary = resumption.summary
        session = resumable.session
        unshownEpoch = resumption.unshownEpoch
        self.settings = settings
        self.resumable = resumable
        self.association = association
        let waiting = self.association.control.takeWaiting()
        session.open(into: &self.association.control, at: context.now)
        self.association.control.append(waiting)
        self.association.resume(
            after: resumption.received, files: resumption.files, keepAlive: settings.keepAlive, at: context.now,
            into: &context.effects)
        resumable.begin(on: self)
    }

    /// What RESUME and RESUMED have settled.
    struct Resumption {
        let summary: LinkSummary
        /// What the peer has processed, and up to where it has files.
        let received: UInt64
        let files: [FilePosition]
        let unshownEpoch: UInt64?
    }

    /// Hands the association over: another link continues it, or may do so. Nothing is left here.
    func give(to resumable: ResumableAssociation) {
        resumable.session = session
        var given = Association(settings, now: Instant(nanoseconds: 0))
        swap(&given, &association)
        resumable.park(given)
    }

    /// The link has ended. Returns whether its association may continue over another one.
    func park() -> Bool {
        guard let resumable, !resumable.isOver, resumable.carrier === self else { return false }
        give(to: resumable)
        return true
    }

    /// When something is due.
    var deadline: Instant? { Instant.earlier(association.deadline, trustEnd) }

    /// Whether the certificates that the verdict rests on are over.
    func isTrustOver(at now: Instant) -> Bool { trustEnd.map { $0 <= now } ?? false }

    // What is not inlined here is called by `payload?.…`, and so without counting a reference (docs/decisions/0024).

    /// Whether anything can be sent now, or all that was queued has been.
    @inline(never)
    func hasOutput(isDraining: Bool) -> Bool {
        association.kept.isRepeating || association.hasPayload || association.hasControl || isDraining && !hasQueued
    }

    /// Queues a message.
    /// - Throws: ``RequestError/messageTooLong(maximum:)``.
    @inline(never)
    func send(_ message: [UInt8]) throws(RequestError) -> MessageTag {
        guard UInt64(message.count) <= summary.peerMaximumMessage else {
            throw .messageTooLong(maximum: summary.peerMaximumMessage)
        }
        return association.send(message)
    }

    /// Whether messages wait, for the transport or for credit, or control frames until more may be kept.
    var hasQueued: Bool { association.hasQueued || association.control.isHolding || association.kept.isRepeating }

    /// Whether a message or a file is half received.
    var isReceiving: Bool { association.incoming.isPartial || !association.incomingFiles.isEmpty }

    /// What waits for the peer, and how far it has come.
    var progress: PayloadProgress {
        PayloadProgress(
            isSending: association.hasPayload || association.awaitsAck,
            hasUnsentMessages: association.hasQueued, sent: sent,
            isReceiving: association.incomingFiles.values.contains { $0.awaitsPeer }, received: received)
    }

    /// In which records payload travels (R11-1).
    var recordKind: RecordKind { summary.encryption == .encrypted ? .encrypted : .authenticated }

    /// Takes a frame from a record of some kind (R11-1). Returns true.
    @inline(never)
    func receive(
        _ frame: borrowing RawFrame, type: FrameType, from kind: RecordKind, in context: LinkContext
    ) throws(LinkFailureCause) -> Bool {
        guard kind == (type.isPayload ? recordKind : .encrypted) else { throw .violation(.wrongProtection) }
        try receive(frame, type: type, in: context)
        return true
    }

    /// A record came and verified.
    @inline(never)
    func heard(at now: Instant) { association.keepAlive.heard(at: now) }

    /// A frame of an open link came, so RESUMED had come to the peer. CLOSE may have crossed it, and shows nothing (SPEC §13.9).
    @inline(__always)
    func noteFrame() { if unshownEpoch != nil { noteShown() } }

    @inline(never)  // once for a link
    private func noteShown() {
        if let unshownEpoch { resumable?.confirm(unshownEpoch) }
        unshownEpoch = nil
    }

    func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) {
        noteFrame()
        switch type {
        case .admit, .roster, .digest, .summary, .want, .unite, .enter:
            try receiveOfSession(frame, type: type, in: context)
        default:
            if type.isPayload { received.bytes += UInt64(frame.payload.count) }
            if type == .fileAccept || type == .fileDone { sent.steps += 1 }
            try association.receive(frame, type: type, at: context.now, into: &context.effects)
        }
    }

    @inline(never)  // rare: docs/decisions/0025
    private func receiveOfSession(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) {
        try session.receive(frame, type: type, summary: summary, in: context, into: &association.control)
        if type.isCounted { association.ack.processed(frame.payload.count, at: context.now) }
    }

    /// Writes a record of at most `room` bytes of frames, if there is something to write, and a key. Returns whether it did, and more
    /// may wait: a link that drains has CLOSE to send.
    @inline(never)
    @_lifetime(output: copy output)
    func writeRecord(
        room: Int, to output: inout OutputSpan<UInt8>, with keys: SendingProtection?, isDraining: Bool,
        in context: LinkContext
    ) throws(CryptoFailure) -> Bool {
        guard keys != nil else { return false }
        let start = RecordSealer.begin(in: &output)
        guard let kind = write(room: room, to: &output, in: context) else {
            output.removeLast(RecordHeader.length)
            return false
        }
        try keys?.seal(kind, from: start, in: &output, tracing: context)
        return isDraining || !association.hasWrittenAll
    }

    /// Writes the frames of one record into `room` bytes, and returns the record's kind; nil if there is nothing to write.
    ///
    /// Control frames go first (SPEC §15.2). On a readable link they have records of their own (R11-1).
    @_lifetime(output: copy output)
    func write(room: Int, to output: inout OutputSpan<UInt8>, in context: LinkContext) -> RecordKind? {
        let (start, end) = (output.count, output.count + room)
        if association.kept.isRepeating {
            return association.repeatFrames(upTo: end, to: &output, payload: recordKind)
        }
        if association.hasControl {
            association.writeControl(room: room, to: &output, at: context.now)
            let isReadable = recordKind != .encrypted && output.count > start
            // What a control frame begins, such as a stream, goes out after it.
            if isReadable || association.hasWaitingControl { return output.count > start ? .encrypted : nil }
        }
        let (control, credit) = (output.count, association.outgoing.usedCredit)
        association.writePayload(upTo: end, to: &output, into: &context.effects)
        if let drainLimit, association.outgoing.usedCredit > credit {
            context.deadline = min(drainLimit, context.now.advanced(by: context.timeouts.closing))
        }
        if output.count > control {
            sent.bytes += UInt64(output.count - control)
            // What follows the last byte of a stream or file, if it has room. Nothing else has become due.
            if recordKind == .encrypted, !association.control.isEmpty {
                association.writeControl(room: end - output.count, to: &output, at: context.now)
            }
        }
        return output.count > start ? recordKind : nil
    }
}
