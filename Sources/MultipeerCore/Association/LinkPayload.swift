import MultipeerCrypto
import MultipeerWire

/// What travels on an open link: messages and files, both ways (SPEC §15).
///
/// A class because every frame and every record changes it, in place, while the phase that owns it stays where it is:
/// moving so large a value out of the link and back was a fifth of the cost of a small message. One phase at a time has
/// it, and phases cannot be copied; nobody else keeps it.
final class LinkPayload {
    let summary: LinkSummary
    /// Messages, streams, files, credit and keep-alive.
    // Unchecked in release builds: see docs/decisions/0022.
    #if !DEBUG && !LIBFUZZER
        @safe @exclusivity(unchecked)
    #endif
    var association: Association
    /// When bytes of a message went out last (SPEC §17).
    private(set) var lastMessageSent: Instant?
    /// How far both directions have come, for drivers that watch it.
    private var sent = PayloadProgress.Mark()
    private var received = PayloadProgress.Mark()
    /// Who takes the frames of §14.
    private(set) var session: SessionPart

    init(summary: LinkSummary, session: SessionPart, settings: Association.Settings, now: Instant) {
        self.summary = summary
        self.session = session
        association = Association(settings, now: now)
        session.open(into: &association.control, at: now)
    }

    /// Whether anything can be sent now.
    var hasOutput: Bool { association.hasPayload || association.hasControl }

    /// Whether messages wait, for the transport or for credit.
    var hasQueued: Bool { association.hasQueued }

    /// Whether a message or a file is half received.
    var isReceiving: Bool { association.incoming.isPartial || !association.incomingFiles.isEmpty }

    /// What waits for the peer, and how far it has come.
    var progress: PayloadProgress {
        PayloadProgress(
            isSending: association.hasPayload || association.outgoingFiles.values.contains { $0.awaitsPeer },
            hasUnsentMessages: association.hasQueued, sent: sent,
            isReceiving: association.incomingFiles.values.contains { $0.awaitsPeer }, received: received)
    }

    /// In which records payload travels (R11-1).
    var recordKind: RecordKind { summary.encryption == .encrypted ? .encrypted : .authenticated }

    func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: LinkContext
    ) throws(LinkFailureCause) {
        switch type {
        case .admit, .roster, .digest, .summary, .want:
            try session.receive(frame, type: type, summary: summary, in: context, into: &association.control)
        default:
            if type.isPayload { received.bytes += UInt64(frame.payload.count) }
            if type == .fileAccept || type == .fileDone { sent.steps += 1 }
            try association.receive(frame, type: type, at: context.now, into: &context.effects)
        }
    }

    /// Writes the frames of one record into `room` bytes, and returns the record's kind; nil if there is nothing to write.
    ///
    /// Control frames go first (SPEC §15.2). On a readable link they have records of their own (R11-1).
    @_lifetime(output: copy output)
    func write(room: Int, to output: inout OutputSpan<UInt8>, in context: LinkContext) -> RecordKind? {
        let (start, end) = (output.count, output.count + room)
        if association.hasControl {
            association.writeControl(room: room, to: &output, at: context.now)
            let isReadable = recordKind != .encrypted && output.count > start
            // What a control frame begins, such as a stream, goes out behind it.
            if isReadable || !association.control.isEmpty { return output.count > start ? .encrypted : nil }
        }
        let (control, credit) = (output.count, association.outgoing.usedCredit)
        association.writePayload(upTo: end, to: &output, into: &context.effects)
        if association.outgoing.usedCredit > credit { lastMessageSent = context.now }
        if output.count > control {
            sent.bytes += UInt64(output.count - control)
            // What stands behind the last byte of a stream or file, if it has room.
            if recordKind == .encrypted, association.hasControl {
                association.writeControl(room: end - output.count, to: &output, at: context.now)
            }
        }
        return output.count > start ? recordKind : nil
    }
}
