import MultipeerCrypto
import MultipeerWire

/// What travels on an open link: messages and files, both ways (SPEC §15).
///
/// A class because every frame and every record changes it, in place, while the phase that owns it stays where it is:
/// moving so large a value out of the link and back was a fifth of the cost of a small message. One phase at a time has
/// it, and phases cannot be copied; nobody else keeps it.
final class LinkPayload {
    let summary: LinkSummary
    var messages: MessageAssembler
    var queue = MessageQueue()
    var outgoing: OutgoingFile
    var incoming: IncomingFile
    /// Whether payload went out since the draining deadline was set last.
    var hasProgressed = false
    /// How far both directions have come, for drivers that watch it.
    private var sent = PayloadProgress.Mark()
    private var received = PayloadProgress.Mark()

    init(summary: LinkSummary, maximumMessage: UInt64, hasLesserKey: Bool) {
        self.summary = summary
        let own: FileNumbers = hasLesserKey ? .even : .odd
        outgoing = OutgoingFile(numbers: own)
        incoming = IncomingFile(numbers: own.other)
        messages = MessageAssembler(maximum: maximumMessage)
    }

    /// Whether payload waits to be sent.
    var hasPayload: Bool { !queue.isEmpty || outgoing.hasData }

    /// Whether a message or a file is half received.
    var isReceiving: Bool { messages.isPartial || incoming.isActive }

    /// What waits for the peer, and how far it has come.
    var progress: PayloadProgress {
        PayloadProgress(
            isSending: hasPayload || outgoing.awaitsPeer, sent: sent,
            isReceiving: messages.isPartial || incoming.awaitsPeer, received: received)
    }

    /// In which records payload travels (R11-1).
    var recordKind: RecordKind { summary.encryption == .encrypted ? .encrypted : .authenticated }

    func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) {
        switch type {
        case .message:
            received.bytes += UInt64(frame.payload.count)
            if let message = try messages.begin(frame.payload) { deliver(message, in: &context) }
        case .messagePart:
            received.bytes += UInt64(frame.payload.count)
            if let message = try messages.continue(frame.payload) { deliver(message, in: &context) }
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
        case .ping, .pong, .credit, .ack, .admit, .roster, .digest, .summary, .want, .streamOpen, .streamData,
            .streamEnd, .streamReset, .streamStop:
            throw .incompatible(.unsupportedFrame(frame.rawType))
        case .close, .padding, .proof, .peerInfo, .invite, .accept, .decline, .cancel, .certificates, .ready,
            .rekey:
            throw frame.unexpected
        }
    }

    private func deliver(_ message: [UInt8], in context: inout LinkContext) {
        received.steps += 1
        context.effects.emit(.message(message))
    }

    /// Writes payload frames into `room` bytes: messages before file data (SPEC §15.2). Returns whether it wrote any.
    @_lifetime(output: copy output)
    func write(room: Int, to output: inout OutputSpan<UInt8>, in context: inout LinkContext) -> Bool {
        let start = output.count
        _ = queue.write(room: room, to: &output)
        if queue.isEmpty {
            _ = outgoing.write(room: room - (output.count - start), to: &output, in: &context)
        }
        guard output.count > start else { return false }
        hasProgressed = true
        sent.bytes += UInt64(output.count - start)
        return true
    }

    /// The app closes: a file under way ends.
    func cancelFiles(in context: inout LinkContext) {
        // The files are under way, so cancelling them is no wrong request.
        if let file = outgoing.current { try? outgoing.cancel(file, reason: .cancelled, in: &context) }
        if let file = incoming.current { try? incoming.refuse(file, reason: .cancelled, in: &context) }
    }
}
