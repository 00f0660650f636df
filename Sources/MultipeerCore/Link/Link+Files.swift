import MultipeerCrypto
public import MultipeerWire

/// Files of an open link. Each request can throw ``RequestError/wrongStage(_:)``. A link that drains takes those that are about
/// files under way, and begins none (SPEC §17).
extension Link {
    // MARK: Files that the local peer sends

    /// Offers a file.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/tooManyFiles``, ``RequestError/invalidFile``.
    public mutating func offerFile(_ offer: OutgoingOffer, at now: Instant) throws(RequestError) -> FileID {
        try openPayload(at: now).association.offer(offer)
    }

    /// Offers a file that cannot be resumed. `name` has 1–255 bytes of UTF-8; `size` is in bytes.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/tooManyFiles``, ``RequestError/invalidFile``.
    public mutating func offerFile(name: String, size: UInt64, at now: Instant) throws(RequestError) -> FileID {
        try offerFile(OutgoingOffer(name: name, size: size), at: now)
    }

    /// Gives the hash of one's own first bytes, which ``OutgoingFileEvent/beginningWanted(_:length:)`` asked for. If the peer
    /// holds other ones, the file ends (R15.3-10).
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func submitBeginning(
        _ beginning: HeldBeginning, of file: FileID, at now: Instant
    ) throws(RequestError) {
        try livePayload(at: now).association.submitBeginning(beginning, of: file, into: &context.effects)
    }

    /// Supplies the bytes that ``OutgoingFileEvent/wanted(_:offset:maximum:)`` asked for.
    /// - Parameters:
    ///   - chunk: At least one byte.
    ///   - file: The file.
    ///   - offset: The offset of the event. Where a link was lost, the event may come again with another one, and bytes for the first are
    ///     dropped. Nil: that of the last event.
    ///   - now: The time.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``, ``RequestError/wrongChunkLength``.
    public mutating func supply(
        _ chunk: [UInt8], to file: FileID, from offset: UInt64? = nil, at now: Instant
    ) throws(RequestError) {
        try livePayload(at: now).association.supply(chunk, to: file, from: offset)
    }

    /// How far a file that the local peer sends has come, in bytes from its beginning. Nil before the peer has accepted
    /// it, and after its end.
    public func sentPosition(of file: FileID) -> UInt64? {
        state.payload?.association.outgoingFiles[file.rawValue]?.position
    }

    /// Ends a file that the local peer sends.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func cancelFile(
        _ file: FileID, reason: FileCancel.Reason = .cancelled, at now: Instant
    ) throws(RequestError) {
        try livePayload(at: now).association.cancelOutgoing(file, reason, into: &context.effects)
    }

    // MARK: Files that the peer sends

    /// Accepts a file that the peer offers, or what is lacking of it.
    /// - Parameters:
    ///   - file: The file.
    ///   - held: What is held of it already.
    ///   - credit: How many bytes the peer may send at first; nil for as many as usual.
    ///   - looks: Whether the peer may send no more than these before ``consentToFile(_:at:)``: they are a folder's manifest
    ///     (SPEC §15.8).
    ///   - now: The time.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``, also if more is held than the file has.
    public mutating func acceptFile(
        _ file: FileID, holding held: HeldBeginning? = nil, credit: UInt64? = nil, looks: Bool = false, at now: Instant
    ) throws(RequestError) {
        try openPayload(at: now).association.accept(
            file, held: held, credit: credit, looks: looks, into: &context.effects)
    }

    /// Takes the rest of a folder whose manifest the app has looked at.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func consentToFile(_ file: FileID, at now: Instant) throws(RequestError) {
        try openPayload(at: now).association.consent(to: file)
    }

    /// Declines a file that the peer offers, or ends it.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func refuseFile(
        _ file: FileID, reason: FileCancel.Reason = .declined, at now: Instant
    ) throws(RequestError) {
        try livePayload(at: now).association.refuse(file, reason, into: &context.effects)
    }

    /// Tells the peer that its file is stored, after ``IncomingFileEvent/complete(_:_:)``.
    /// - Parameters:
    ///   - file: The file.
    ///   - renamed: What is called otherwise here than at the peer (SPEC §15.5); nil if nothing is.
    ///   - isKept: Whether the same file was here already, and stays in place of what has come.
    ///   - now: The time.
    /// - Throws: ``RequestError/wrongStage(_:)``, ``RequestError/unknownFile``.
    public mutating func confirmFile(
        _ file: FileID, renamed: RenamedNames? = nil, isKept: Bool = false, at now: Instant
    ) throws(RequestError) {
        try livePayload(at: now).association.confirm(file, renamed: renamed, isKept: isKept)
    }

    /// The app has taken bytes of a file: the peer may send as many more. A link that is not open any more needs not know.
    public mutating func releaseCredit(_ count: Int, of file: FileID, at now: Instant) {
        begin(at: now)
        state.payload?.association.releaseCredit(count, of: file)
    }

    /// The app has taken the end of a file that the peer sent (``IncomingFileEvent/ended(_:_:byPeer:)``).
    public mutating func tookEnd(of file: FileID, at now: Instant) {
        begin(at: now)
        state.payload?.association.tookEnd(of: file)
    }
}
