import MultipeerCrypto
import MultipeerWire

/// Files that the local peer sends (SPEC §15.3).
extension Association {
    // MARK: Requests

    /// Offers a file.
    mutating func offer(_ offer: OutgoingOffer) throws(RequestError) -> FileID {
        guard offersOut.room > 0 else { throw .tooManyFiles }
        guard offer.frame(id: 0) != nil else { throw .invalidFile }
        let id = numbers.takeOwn()
        guard let frame = offer.frame(id: id) else { throw .invalidFile }
        offersOut.use(1)
        outgoingFiles[id] = OutgoingFile(frame)
        control.append(frame)
        return FileID(rawValue: id)
    }

    /// The app has hashed the beginning that the peer holds.
    mutating func submitBeginning(
        _ beginning: HeldBeginning, of file: FileID, into effects: inout EffectQueue
    ) throws(RequestError) {
        guard let item = outgoingFiles[file.rawValue], let step = item.compare(beginning) else { throw .unknownFile }
        advance(item, after: step, into: &effects)
    }

    /// The app supplies bytes.
    mutating func supply(_ chunk: [UInt8], to file: FileID, from offset: UInt64? = nil) throws(RequestError) {
        guard let item = outgoingFiles[file.rawValue] else { throw .unknownFile }
        try item.supply(chunk, from: offset)
        enqueue(item)
    }

    /// The app ends a file that it sends.
    mutating func cancelOutgoing(
        _ file: FileID, _ reason: FileCancel.Reason, into effects: inout EffectQueue
    ) throws(RequestError) {
        guard let item = outgoingFiles[file.rawValue] else { throw .unknownFile }
        end(item, reason, byPeer: false, into: &effects)
    }

    // MARK: Frames

    /// FILE_ACCEPT, FILE_DONE, and FILE_CANCEL of a file that the local peer offered.
    mutating func receiveAnswer(
        _ accept: FileAccept, into effects: inout EffectQueue
    ) throws(LinkFailureCause) {
        guard let item = try outgoingFile(accept.id, for: .fileAccept) else { return }
        advance(item, after: try item.receive(accept, digester: try makeDigester()), into: &effects)
    }

    mutating func receiveAnswer(_ done: FileDone, into effects: inout EffectQueue) throws(LinkFailureCause) {
        guard let item = try outgoingFile(done.id, for: .fileDone) else { return }
        try finish(item, done, into: &effects)
    }

    /// FILE_DONE came after the local CLOSE: it counts for a file that was sent whole, and is ignored otherwise
    /// (R16.1-3).
    mutating func receiveLate(_ done: FileDone, into effects: inout EffectQueue) throws(LinkFailureCause) {
        guard let item = outgoingFiles[done.id], item.isSent else { return }
        try finish(item, done, into: &effects)
    }

    private mutating func finish(
        _ item: OutgoingFile, _ done: FileDone, into effects: inout EffectQueue
    ) throws(LinkFailureCause) {
        let step = try item.done()
        if let renamed = RenamedNames(done.fields) {
            effects.emit(.outgoingFile(.renamed(FileID(rawValue: item.id), renamed)))
        }
        if KeptFile.isSaid(in: done.fields) { effects.emit(.outgoingFile(.kept(FileID(rawValue: item.id)))) }
        advance(item, after: step, into: &effects)
    }

    /// The receiver ends the file; the sender confirms it with the same reason, and sends nothing more of it (R15.3-7).
    mutating func cancelled(_ item: OutgoingFile, _ reason: FileCancel.Reason, into effects: inout EffectQueue) {
        end(item, reason, byPeer: true, into: &effects)
    }

    /// CREDIT of one file came.
    mutating func raiseFile(_ credit: Credit, into effects: inout EffectQueue) throws(LinkFailureCause) {
        guard let item = try outgoingFile(credit.id, for: .credit) else { return }
        try item.raise(to: credit.limit)
        enqueue(item)
        settle(item, into: &effects)
    }

    private mutating func outgoingFile(_ id: UInt64, for type: FrameType) throws(LinkFailureCause) -> OutgoingFile? {
        guard try numbers.admits(type, about: .file, naming: id, live: live(id)) else { return nil }
        return outgoingFiles[id]
    }

    // MARK: Bookkeeping

    private mutating func advance(_ item: OutgoingFile, after step: OutgoingFile.Step, into effects: inout EffectQueue)
    {
        let file = FileID(rawValue: item.id)
        switch step {
        case .nothing: break
        case .compare(let length): effects.emit(.outgoingFile(.beginningWanted(file, length: length)))
        case .accepted:
            effects.emit(.outgoingFile(.accepted(file)))
            settle(item, into: &effects)
        case .delivered(let digest):
            outgoingFiles[item.id] = nil
            effects.emit(.outgoingFile(.delivered(file, digest)))
        case .differs: end(item, .beginningDiffers, byPeer: false, into: &effects)
        }
    }

    /// Asks for bytes, or ends the file after its last byte (R15.2-2).
    private mutating func settle(_ item: OutgoingFile, into effects: inout EffectQueue) {
        switch item.next() {
        case .nothing: break
        case .bytes(let offset, let maximum):
            effects.emit(.outgoingFile(.wanted(FileID(rawValue: item.id), offset: offset, maximum: maximum)))
        case .end(let frame): control.append(frame)
        case .failure: end(item, .sourceFailed, byPeer: false, into: &effects)
        }
    }

    /// Another link continues the association, and the peer is so far with the file; nil if it does not say.
    mutating func resume(_ item: OutgoingFile, at offset: UInt64?, into effects: inout EffectQueue) {
        item.resume(at: offset)
        settle(item, into: &effects)
    }

    private mutating func enqueue(_ item: OutgoingFile) {
        guard !item.isInRing, item.canSend else { return }
        item.isInRing = true
        ring.append(item.id)
    }

    /// Writes FILE_DATA of the file whose turn it is.
    @_lifetime(output: copy output)
    mutating func writeFile(
        _ item: OutgoingFile, room: Int, to output: inout OutputSpan<UInt8>, into effects: inout EffectQueue
    ) {
        if item.write(room: room, to: &output) { settle(item, into: &effects) }
    }

    private mutating func end(
        _ item: OutgoingFile, _ reason: FileCancel.Reason, byPeer: Bool, into effects: inout EffectQueue
    ) {
        outgoingFiles[item.id] = nil
        control.append(FileCancel(id: item.id, reason: reason))
        effects.emit(.outgoingFile(.ended(FileID(rawValue: item.id), reason, byPeer: byPeer)))
    }
}
