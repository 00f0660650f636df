import MultipeerCrypto
import MultipeerWire

/// The session: payload travels (SPEC §15).
struct OpenPhase: ~Copyable {
    let summary: LinkSummary
    var messages: MessageAssembler
    var queue = MessageQueue()
    var outgoing = OutgoingFile()
    var incoming = IncomingFile()
    /// Whether the app asked to close, so that CLOSE follows the last queued message.
    var isDraining = false
    /// Whether payload went out since the draining deadline was set last.
    var hasProgressed = false

    init(summary: LinkSummary, maximumMessage: UInt64) {
        self.summary = summary
        messages = MessageAssembler(maximum: maximumMessage)
    }

    /// Whether payload waits to be sent.
    var hasPayload: Bool { !queue.isEmpty || outgoing.hasData }

    /// Whether a message or a file is half received.
    var isReceiving: Bool { messages.isPartial || incoming.isActive }

    consuming func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) -> Phase {
        try receivePayload(frame, type: type, in: &context)
        return .open(self)
    }

    mutating func receivePayload(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) {
        switch type {
        case .message:
            if let message = try messages.begin(frame.payload) { context.effects.emit(.message(message)) }
        case .messagePart:
            if let message = try messages.continue(frame.payload) { context.effects.emit(.message(message)) }
        case .fileOffer: try incoming.receive(try frame.decode(FileOffer.self), in: &context)
        case .fileData: try incoming.receiveData(frame.payload, in: &context)
        case .fileEnd: try incoming.receive(try frame.decode(FileEnd.self), in: &context)
        case .fileAccept: try outgoing.receive(try frame.decode(FileAccept.self), in: &context)
        case .fileDone: try outgoing.receive(try frame.decode(FileDone.self), in: &context)
        case .fileCancel:
            let cancel = try frame.decode(FileCancel.self)
            if cancel.isSendersFile {
                try incoming.receive(cancel, in: &context)
            } else {
                try outgoing.receive(cancel, in: &context)
            }
        case .close, .padding, .proof, .peerInfo, .invite, .accept, .decline, .cancel, .certificates, .ready:
            throw frame.unexpected
        }
    }

    /// Writes payload frames into `room` bytes: messages before file data (SPEC §15.2). Returns whether it wrote any.
    @_lifetime(output: copy output)
    mutating func write(room: Int, to output: inout OutputSpan<UInt8>, in context: inout LinkContext) -> Bool {
        let start = output.count
        _ = queue.write(room: room, to: &output)
        if queue.isEmpty {
            _ = outgoing.write(room: room - (output.count - start), to: &output, in: &context)
        }
        return output.count > start
    }

    /// The app closes: a file under way is cancelled, queued messages still go out.
    mutating func beginDraining(in context: inout LinkContext) {
        isDraining = true
        cancelFiles(in: &context)
        context.setDeadline(after: context.timeouts.closing)
    }

    private mutating func cancelFiles(in context: inout LinkContext) {
        // The files are under way, so cancelling them is no misuse.
        if let file = outgoing.current { try? outgoing.cancel(file, reason: .cancelled, in: &context) }
        if let file = incoming.current { try? incoming.refuse(file, reason: .cancelled, in: &context) }
    }

    /// The queue stands still: close without the rest. While it moves, however slowly, it has time.
    consuming func timeout(in context: inout LinkContext) -> Phase {
        var open = self
        guard open.hasProgressed else { return .closing(ClosingPhase(closing: open, in: &context)) }
        open.hasProgressed = false
        context.setDeadline(after: context.timeouts.closing)
        return .open(open)
    }
}
