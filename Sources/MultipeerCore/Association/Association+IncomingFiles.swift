import MultipeerCrypto
import MultipeerWire

/// Files that the peer sends (SPEC §15.3).
extension Association {
    // MARK: Requests

    /// The app takes a file, or the rest of it. Without a digest the file cannot be taken.
    /// - Parameters:
    ///   - file: The file.
    ///   - held: What is held of it.
    ///   - credit: How many bytes the peer may send at first; nil for as many as usual.
    ///   - looks: Whether nothing more is granted before ``consent(to:)``.
    ///   - effects: Where its end goes.
    mutating func accept(
        _ file: FileID, held: HeldBeginning?, credit: UInt64? = nil, looks: Bool = false,
        into effects: inout EffectQueue
    ) throws(RequestError) {
        guard let item = incomingFiles[file.rawValue], !item.isCancelled else { throw .unknownFile }
        let digester: any Digester
        do throws(LinkFailureCause) {
            digester = try makeDigester()
        } catch {
            return cancel(item, .storageFailed, into: &effects)
        }
        let wanted = credit ?? fileWindow
        let byRight = asksForMemory ? min(wanted, BulkMemory.base) : wanted
        guard let frame = item.accept(held, credit: byRight, looks: looks, digester: digester) else {
            throw .unknownFile
        }
        control.append(frame)
        let useful = min(max(wanted, BulkMemory.base), BulkMemory.most, item.size - frame.offset)
        if asksForMemory, useful > BulkMemory.base { bulkMemory.claim(useful - BulkMemory.base, for: item.id) }
        queueCredit(item)
    }

    /// The app has looked at a folder's manifest, and takes the rest.
    mutating func consent(to file: FileID) throws(RequestError) {
        guard let item = incomingFiles[file.rawValue], item.consent() else { throw .unknownFile }
        queueCredit(item)
    }

    /// The app declines a file, or ends it.
    mutating func refuse(
        _ file: FileID, _ reason: FileCancel.Reason, into effects: inout EffectQueue
    ) throws(RequestError) {
        guard let item = incomingFiles[file.rawValue], !item.isCancelled else { throw .unknownFile }
        cancel(item, reason, into: &effects)
        // The app has decided it, and so knows.
        note(item.id, isTold: true)
    }

    /// The app has stored a file.
    mutating func confirm(_ file: FileID, renamed: RenamedNames? = nil, isKept: Bool = false) throws(RequestError) {
        guard let item = incomingFiles[file.rawValue], item.confirm() else { throw .unknownFile }
        incomingFiles[file.rawValue] = nil
        bulkMemory.release(item.id)
        control.append(
            FileDone(id: item.id, fields: (renamed.map { [$0.field] } ?? []) + (isKept ? [KeptFile.field] : [])))
        returnOffer()
    }

    /// The app has taken bytes of a file.
    mutating func releaseCredit(_ count: Int, of file: FileID) {
        guard let item = incomingFiles[file.rawValue] else { return }
        item.releaseCredit(count)
        queueCredit(item)
    }

    mutating func queueCredit(_ item: IncomingFile) {
        guard item.isCreditDue, !item.isCreditQueued else { return }
        item.isCreditQueued = true
        dueCredits.append(item.id)
    }

    /// The app has taken the end of a file (R13.5-1).
    mutating func tookEnd(of file: FileID) {
        guard fileEnds[file.rawValue] != nil else { return }
        note(file.rawValue, isTold: true)
    }

    /// An offer comes back once its file has ended and the app has heard of it (R13.5-1).
    private mutating func note(_ id: UInt64, isOver: Bool = false, isTold: Bool = false) {
        var end = fileEnds[id] ?? PendingEnd()
        end.isOver = end.isOver || isOver
        end.isTold = end.isTold || isTold
        let isSettled = end.isOver && end.isTold
        fileEnds[id] = isSettled ? nil : end
        if isSettled { returnOffer() }
    }

    private mutating func returnOffer() {
        returnedOffers += 1
        offers.release(returnedOffers)
    }

    // MARK: Frames

    mutating func receive(_ offer: FileOffer, into effects: inout EffectQueue) throws(LinkFailureCause) {
        try numbers.begin(offer.id, in: .fileID)
        try offers.use(1)
        incomingFiles[offer.id] = IncomingFile(offer)
        effects.emit(.incomingFile(.offered(IncomingOffer(offer))))
    }

    mutating func receiveFileData(_ payload: Span<UInt8>, into effects: inout EffectQueue) throws(LinkFailureCause) {
        let frame: FileDataFrame
        do {
            frame = try FileDataFrame(payload: payload)
        } catch {
            throw LinkFailureCause(error)
        }
        guard let item = try incomingFile(frame.id, for: .fileData) else { return }
        guard try item.receive(offset: frame.offset, frame.data) else { return }
        // The app may have taken bytes before that are due to be granted again now (R13.5-2).
        queueCredit(item)
        effects.emit(.incomingFile(.data(FileID(rawValue: frame.id), [UInt8](copying: frame.data))))
    }

    mutating func receive(_ end: FileEnd, into effects: inout EffectQueue) throws(LinkFailureCause) {
        guard let item = try incomingFile(end.id, for: .fileEnd) else { return }
        switch try item.receive(end) {
        case .complete(let digest):
            effects.emit(.incomingFile(.complete(FileID(rawValue: end.id), digest)))
        case .otherHash: told(item, .hashMismatch, into: &effects)
        case .dropped: break
        }
    }

    /// FILE_CANCEL came, of a file of either peer (SPEC §15.4).
    mutating func receive(_ cancel: FileCancel, into effects: inout EffectQueue) throws(LinkFailureCause) {
        guard try numbers.admits(.fileCancel, about: .file, naming: cancel.id, live: live(cancel.id)) else { return }
        if let item = outgoingFiles[cancel.id] { return cancelled(item, cancel.reason, into: &effects) }
        guard let item = incomingFiles.removeValue(forKey: cancel.id) else { return }
        bulkMemory.release(item.id)
        note(item.id, isOver: true)
        // The remote peer's answer to a local cancellation is no news.
        guard !item.isCancelled else { return }
        effects.emit(.incomingFile(.ended(FileID(rawValue: item.id), cancel.reason, byPeer: true)))
    }

    private mutating func incomingFile(_ id: UInt64, for type: FrameType) throws(LinkFailureCause) -> IncomingFile? {
        guard try numbers.admits(type, about: .file, naming: id, live: live(id)) else { return nil }
        return incomingFiles[id]
    }

    // MARK: Bookkeeping

    /// CREDIT with the newest limit; nil if there is none to tell.
    mutating func takeCredit(ofFile id: UInt64) -> Credit? {
        guard let item = incomingFiles[id] else { return nil }
        item.isCreditQueued = false
        return item.takeCredit()
    }

    private mutating func cancel(_ item: IncomingFile, _ reason: FileCancel.Reason, into effects: inout EffectQueue) {
        guard item.cancel() else { return }
        told(item, reason, into: &effects)
    }

    /// The local peer has ended the file. Its number lives until the remote peer has confirmed that.
    private mutating func told(_ item: IncomingFile, _ reason: FileCancel.Reason, into effects: inout EffectQueue) {
        control.append(FileCancel(id: item.id, reason: reason))
        effects.emit(.incomingFile(.ended(FileID(rawValue: item.id), reason, byPeer: false)))
        note(item.id)
    }

    // MARK: The end

    /// The app closes: files that have not ended can continue over another link, and the peer is notified. One that is
    /// sent waits for FILE_DONE, and one that is being stored is stored to the end (R16.1-5).
    mutating func interruptFiles(into effects: inout EffectQueue) {
        for (id, item) in outgoingFiles.sorted(by: { $0.key < $1.key }) where !item.isSent {
            try? cancelOutgoing(FileID(rawValue: id), .interrupted, into: &effects)
        }
        for (id, item) in incomingFiles.sorted(by: { $0.key < $1.key }) where !item.isStoring {
            try? refuse(FileID(rawValue: id), .interrupted, into: &effects)
        }
    }

    /// The link is over: what has not ended is incomplete (R16.1-5). The end of the link notifies the app.
    mutating func endFiles() {
        (outgoingFiles, incomingFiles) = ([:], [:])
    }
}
