import MultipeerCrypto
import MultipeerWire

/// The receiving half of a file transfer (SPEC §15.3). One file at a time.
struct IncomingFile {
    private enum State {
        case idle
        case offered(size: UInt64)
        case receiving(Transfer)
        /// Size and hash are right; the app stores the file.
        case storing
    }

    private struct Transfer {
        let size: UInt64
        let digester: any Digester
        var received: UInt64 = 0
    }

    /// The numbers of the peer's files.
    let numbers: FileNumbers
    private var state = State.idle
    /// The number of the file under way, or of the next.
    private var id: UInt64
    /// The last file, if this side ended it: its frames on the way are ignored (R15.3-7).
    private var cancelled: UInt64?

    init(numbers: FileNumbers) {
        self.numbers = numbers
        id = numbers.first
    }

    /// Whether a file is under way.
    var isActive: Bool {
        if case .idle = state { false } else { true }
    }

    /// The file under way.
    var current: FileID? { isActive ? FileID(rawValue: id) : nil }

    /// Whether the peer must send more before the file goes on.
    var awaitsPeer: Bool {
        if case .receiving = state { true } else { false }
    }

    // MARK: Decisions of the app

    mutating func accept(_ file: FileID, in context: inout LinkContext) throws(RequestError) {
        guard file == current, case .offered(let size) = state else { throw .unknownFile }
        do throws(LinkFailureCause) {
            state = .receiving(Transfer(size: size, digester: try context.makeDigester()))
        } catch {
            cancel(.storageFailed, in: &context)
            return
        }
        context.send(FileAccept(id: id, credit: size))
    }

    mutating func refuse(
        _ file: FileID, reason: FileCancel.Reason, in context: inout LinkContext
    ) throws(RequestError) {
        guard file == current else { throw .unknownFile }
        cancel(reason, in: &context)
    }

    mutating func confirm(_ file: FileID, in context: inout LinkContext) throws(RequestError) {
        guard file == current, case .storing = state else { throw .unknownFile }
        context.send(FileDone(id: id))
        state = .idle
        id += 2
    }

    // MARK: Frames

    mutating func receive(_ frame: FileOffer, in context: inout LinkContext) throws(LinkFailureCause) {
        guard !isActive else { throw Self.unexpected(.fileOffer) }
        guard frame.id == id else { throw .malformed(WireError(.valueOutOfRange, in: .fileID)) }
        state = .offered(size: frame.size)
        cancelled = nil
        context.effects.emit(
            .incomingFile(
                .offered(
                    FileID(rawValue: id), name: String(decoding: frame.name, as: UTF8.self),
                    localName: SanitizedFileName.derive(from: frame.name), size: frame.size)))
    }

    mutating func receiveData(_ payload: Span<UInt8>, in context: inout LinkContext) throws(LinkFailureCause) {
        let frame: FileDataFrame
        do {
            frame = try FileDataFrame(payload: payload)
        } catch {
            throw LinkFailureCause(error)
        }
        if frame.id == cancelled { return }
        guard frame.id == id, case .receiving(var transfer) = state else { throw Self.unexpected(.fileData) }
        guard frame.offset == transfer.received else {
            throw .malformed(WireError(.valueOutOfRange, in: .fileOffset))
        }
        guard UInt64(frame.data.count) <= transfer.size - transfer.received else {
            throw .malformed(WireError(.lengthOutOfRange, in: .fileData))
        }
        transfer.digester.update(frame.data)
        transfer.received += UInt64(frame.data.count)
        state = .receiving(transfer)
        context.effects.emit(.incomingFile(.data(FileID(rawValue: id), [UInt8](copying: frame.data))))
    }

    mutating func receive(_ frame: FileEnd, in context: inout LinkContext) throws(LinkFailureCause) {
        if frame.id == cancelled { return }
        guard frame.id == id, case .receiving(let transfer) = state, transfer.received == transfer.size else {
            throw Self.unexpected(.fileEnd)
        }
        let digest: Digest
        do {
            digest = try transfer.digester.finish()
        } catch {
            throw .crypto(error)
        }
        guard digest.rawBytes == frame.digest else {
            cancel(.hashMismatch, in: &context)
            return
        }
        state = .storing
        context.effects.emit(.incomingFile(.complete(FileID(rawValue: id), digest)))
    }

    mutating func receive(_ frame: FileCancel, in context: inout LinkContext) throws(LinkFailureCause) {
        if frame.id < id { return }  // it crossed the end (R15.4-1)
        guard frame.id == id, isActive else { throw Self.unexpected(.fileCancel) }
        let file = FileID(rawValue: id)
        state = .idle
        id += 2
        context.effects.emit(.incomingFile(.ended(file, frame.reason, byPeer: true)))
    }

    private mutating func cancel(_ reason: FileCancel.Reason, in context: inout LinkContext) {
        let file = FileID(rawValue: id)
        context.send(FileCancel(id: id, reason: reason))
        cancelled = id
        state = .idle
        id += 2
        context.effects.emit(.incomingFile(.ended(file, reason, byPeer: false)))
    }

    private static func unexpected(_ type: FrameType) -> LinkFailureCause {
        .violation(.unexpectedFrame(type.rawValue))
    }
}
