import MultipeerCrypto
import MultipeerWire

/// The sending half of a file transfer (SPEC §15.3). One file at a time.
struct OutgoingFile {
    /// The most bytes asked for at once: what one record carries.
    static let chunkLength = 65_280

    private enum State {
        case idle
        case offered
        /// Bytes are hashed and sent as they are supplied.
        case sending(Transfer)
        /// All bytes and FILE_END, with this digest, are sent.
        case awaitingDone(Digest)
    }

    private struct Transfer {
        let digester: any Digester
        /// Bytes hashed and sent.
        var offset: UInt64 = 0
        /// Supplied bytes, of which `chunkSent` are sent.
        var chunk: [UInt8] = []
        var chunkSent = 0
        var hasAsked = false
    }

    private var state = State.idle
    private var size: UInt64 = 0
    /// The number of the file under way, or of the next.
    private var id: UInt64 = 0

    /// Whether a file is under way.
    var isActive: Bool {
        if case .idle = state { false } else { true }
    }

    /// The file under way.
    var current: FileID? { isActive ? FileID(rawValue: id) : nil }

    /// Whether supplied bytes wait to be sent.
    var hasData: Bool {
        if case .sending(let transfer) = state { transfer.chunkSent < transfer.chunk.count } else { false }
    }

    /// Whether the peer, or the transport to it, must do something before the file goes on.
    var awaitsPeer: Bool {
        switch state {
        case .idle: false
        case .offered, .awaitingDone: true
        // Bytes that the app has not supplied are its own affair.
        case .sending(let transfer): !transfer.hasAsked
        }
    }

    mutating func offer(name: [UInt8], size: UInt64, in context: inout LinkContext) throws(RequestError) -> FileID {
        guard !isActive else { throw .fileUnderWay }
        guard (1...255).contains(name.count), Utf8.isWellFormed(name.span), size <= maximumFileSize else {
            throw .invalidFile
        }
        self.size = size
        state = .offered
        context.send(FileOffer(id: id, size: size, name: name))
        return FileID(rawValue: id)
    }

    mutating func supply(_ chunk: [UInt8], to file: FileID) throws(RequestError) {
        guard file == current, case .sending(var transfer) = state, transfer.hasAsked else { throw .unknownFile }
        let left = size - transfer.offset
        guard !chunk.isEmpty, chunk.count <= Self.chunkLength, UInt64(chunk.count) <= left else {
            throw .wrongChunkLength
        }
        transfer.digester.update(chunk.span)
        transfer.chunk = chunk
        transfer.chunkSent = 0
        transfer.hasAsked = false
        state = .sending(transfer)
    }

    mutating func cancel(
        _ file: FileID, reason: FileCancel.Reason, in context: inout LinkContext
    ) throws(RequestError) {
        guard file == current else { throw .unknownFile }
        context.send(FileCancel(id: id, isSendersFile: true, reason: reason))
        end(.ended(file, reason, byPeer: false), in: &context)
    }

    // MARK: Frames

    mutating func receive(_ frame: FileAccept, in context: inout LinkContext) throws(LinkFailureCause) {
        if frame.id < id { return }  // it crossed the end (R15.3-6)
        guard frame.id == id, case .offered = state else { throw Self.unexpected(.fileAccept) }
        state = .sending(Transfer(digester: try context.makeDigester()))
        context.effects.emit(.outgoingFile(.accepted(FileID(rawValue: id))))
        advance(in: &context)
    }

    mutating func receive(_ frame: FileDone, in context: inout LinkContext) throws(LinkFailureCause) {
        if frame.id < id { return }  // it crossed the end (R15.3-6)
        guard frame.id == id, case .awaitingDone(let digest) = state else { throw Self.unexpected(.fileDone) }
        end(.delivered(FileID(rawValue: id), digest), in: &context)
    }

    mutating func receive(_ frame: FileCancel, in context: inout LinkContext) throws(LinkFailureCause) {
        if frame.id < id { return }  // it crossed the end (R15.4-1)
        guard frame.id == id, isActive else { throw Self.unexpected(.fileCancel) }
        end(.ended(FileID(rawValue: id), frame.reason, byPeer: true), in: &context)
    }

    // MARK: Sending

    /// Writes one FILE_DATA frame of at most `room` bytes. Returns whether it wrote.
    @_lifetime(output: copy output)
    mutating func write(room: Int, to output: inout OutputSpan<UInt8>, in context: inout LinkContext) -> Bool {
        guard case .sending(var transfer) = state, transfer.chunkSent < transfer.chunk.count else { return false }
        let chunk = transfer.chunk
        let rest = chunk.span.extracting(droppingFirst: transfer.chunkSent)
        let written = PayloadFrame.appendFileData(
            id: id, offset: transfer.offset, rest, room: room, to: &output)
        guard let written else { return false }
        transfer.chunkSent += written
        transfer.offset += UInt64(written)
        state = .sending(transfer)
        advance(in: &context)
        return true
    }

    /// Asks for bytes, or ends the file, once all supplied bytes are sent.
    private mutating func advance(in context: inout LinkContext) {
        guard case .sending(var transfer) = state, transfer.chunkSent == transfer.chunk.count else { return }
        guard transfer.offset < size else { return finish(transfer, in: &context) }
        transfer.chunk = []
        transfer.chunkSent = 0
        transfer.hasAsked = true
        let maximum = Int(min(UInt64(Self.chunkLength), size - transfer.offset))
        context.effects.emit(
            .outgoingFile(.wanted(FileID(rawValue: id), offset: transfer.offset, maximum: maximum)))
        state = .sending(transfer)
    }

    /// All bytes are sent: say what they were. Without a digest the file cannot end well.
    private mutating func finish(_ transfer: Transfer, in context: inout LinkContext) {
        do {
            let digest = try transfer.digester.finish()
            context.send(FileEnd(id: id, digest: digest.rawBytes))
            state = .awaitingDone(digest)
        } catch {
            context.send(FileCancel(id: id, isSendersFile: true, reason: .sourceFailed))
            end(.ended(FileID(rawValue: id), .sourceFailed, byPeer: false), in: &context)
        }
    }

    private mutating func end(_ event: OutgoingFileEvent, in context: inout LinkContext) {
        state = .idle
        id += 1
        context.effects.emit(.outgoingFile(event))
    }

    private static func unexpected(_ type: FrameType) -> LinkFailureCause {
        .violation(.unexpectedFrame(type.rawValue))
    }
}
