import MultipeerCrypto
import MultipeerWire

/// What travels on an open link: messages and files, both ways (SPEC §15).
///
/// A class because every frame and every record changes it, in place, while the phase that owns it stays where it is:
/// moving so large a value out of the link and back was a fifth of the cost of a small message. One phase at a time has
/// it, and phases cannot be copied; nobody else keeps it.
final class LinkPayload {
    let summary: LinkSummary
    /// Messages, credit and keep-alive.
    let association: Association
    var outgoing: OutgoingFile
    var incoming: IncomingFile
    /// Whether payload went out since the draining deadline was set last.
    var hasProgressed = false
    /// How far both directions have come, for drivers that watch it.
    private var sent = PayloadProgress.Mark()
    private var received = PayloadProgress.Mark()

    private var share = FairShare()
    private var guest: GuestSession

    init(
        summary: LinkSummary, guest: GuestSession, settings: Association.Settings, hasLesserKey: Bool, now: Instant
    ) {
        self.summary = summary
        self.guest = guest
        let own: FileNumbers = hasLesserKey ? .even : .odd
        outgoing = OutgoingFile(numbers: own)
        incoming = IncomingFile(numbers: own.other)
        association = Association(settings, now: now)
    }

    /// Whether payload can be sent now.
    var hasPayload: Bool { association.hasMessages || outgoing.hasData }

    /// Whether anything can be sent now.
    var hasOutput: Bool { hasPayload || association.hasControl }

    /// Whether payload waits, for the transport or for credit.
    var hasQueued: Bool { association.hasQueued || outgoing.hasData }

    /// Whether a message or a file is half received.
    var isReceiving: Bool { association.incoming.isPartial || incoming.isActive }

    /// What waits for the peer, and how far it has come.
    var progress: PayloadProgress {
        PayloadProgress(
            isSending: hasPayload || outgoing.awaitsPeer, sent: sent,
            isReceiving: incoming.awaitsPeer, received: received)
    }

    /// In which records payload travels (R11-1).
    var recordKind: RecordKind { summary.encryption == .encrypted ? .encrypted : .authenticated }

    func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) {
        switch type {
        case .message, .messagePart, .credit, .ack, .ping, .pong:
            try association.receive(frame, type: type, at: context.now, into: &context.effects)
        case .fileOffer: try incoming.receive(try frame.decode(FileOffer.self), in: &context)
        case .fileData:
            received.bytes += UInt64(frame.payload.count)
            try incoming.receiveData(frame.payload, in: &context)
        case .fileEnd: try incoming.receive(try frame.decode(FileEnd.self), in: &context)
        case .fileAccept:
            sent.steps += 1
            try outgoing.receive(try frame.decode(FileAccept.self), in: &context)
        case .fileDone:
            sent.steps += 1
            try outgoing.receive(try frame.decode(FileDone.self), in: &context)
        case .fileCancel:
            let cancel = try frame.decode(FileCancel.self)
            if incoming.numbers.contain(cancel.id) {
                try incoming.receive(cancel, in: &context)
            } else {
                try outgoing.receive(cancel, in: &context)
            }
        case .admit, .roster, .digest, .summary, .want:
            try guest.receive(
                frame, type: type, charter: summary.charter, as: context.configuration.identity.identityKey,
                with: context.crypto)
        case .streamOpen, .streamData, .streamEnd, .streamReset, .streamStop:
            throw .incompatible(.unsupportedFrame(frame.rawType))
        case .close, .padding, .proof, .peerInfo, .invite, .accept, .decline, .cancel, .certificates, .ready,
            .rekey:
            throw frame.unexpected
        }
    }

    /// Writes the frames of one record into `room` bytes, and returns the record's kind; nil if there is nothing to write.
    ///
    /// Control frames go first (SPEC §15.2). On a readable link they have records of their own (R11-1).
    @_lifetime(output: copy output)
    func write(room: Int, to output: inout OutputSpan<UInt8>, in context: inout LinkContext) -> RecordKind? {
        let (start, end) = (output.count, output.count + room)
        if association.hasControl {
            association.writeControl(room: room, to: &output, at: context.now)
            if recordKind != .encrypted, output.count > start { return .encrypted }
        }
        let control = output.count
        writePayload(upTo: end, to: &output, in: &context)
        if output.count > control {
            hasProgressed = true
            sent.bytes += UInt64(output.count - control)
        }
        return output.count > start ? recordKind : nil
    }

    /// Shares the room between messages and the file (SPEC §15.2).
    @_lifetime(output: copy output)
    private func writePayload(upTo end: Int, to output: inout OutputSpan<UInt8>, in context: inout LinkContext) {
        while let (turn, allowance) = share.next(messages: association.hasMessages, bulk: outgoing.hasData) {
            let (before, room) = (output.count, end - output.count)
            switch turn {
            case .messages: association.writeMessages(room: min(room, allowance), to: &output)
            case .bulk: _ = outgoing.write(room: min(room, allowance), to: &output, in: &context)
            }
            if output.count > before {
                share.spend(output.count - before)
            } else if allowance < room {
                share.endTurn()
            } else {
                return
            }
        }
    }

    /// The app closes: a file under way ends.
    func cancelFiles(in context: inout LinkContext) {
        // The files are under way, so cancelling them is no wrong request.
        if let file = outgoing.current { try? outgoing.cancel(file, reason: .cancelled, in: &context) }
        if let file = incoming.current { try? incoming.refuse(file, reason: .cancelled, in: &context) }
    }
}
