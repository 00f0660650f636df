public import MultipeerCore
public import MultipeerDriver
public import MultipeerWire
import NIOCore

/// Files; see ``MultipeerCore/Link``. A request that throws changes nothing.
extension LinkConnection {
    // MARK: Files that the local peer sends

    /// Offers a file, whose bytes the app supplies when events ask for them.
    public func offerFile(_ offer: OutgoingOffer) async throws(RequestError) -> FileID {
        try await perform { (link, now) throws(RequestError) in try link.offerFile(offer, at: now) }
    }

    /// The same for a file that cannot be resumed. `name` has 1–255 bytes of UTF-8, and `size` is in bytes.
    public func offerFile(name: String, size: UInt64) async throws(RequestError) -> FileID {
        try await offerFile(OutgoingOffer(name: name, size: size))
    }

    /// Offers a file whose bytes come from `source`. It has the events of any other file, except for `wanted` and
    /// `beginningWanted`.
    public func offerFile(
        _ offer: OutgoingOffer, from source: any FileSource
    ) async throws(RequestError) -> FileID {
        try await drive { (driver, now) throws(RequestError) in try driver.offerFile(offer, from: source, at: now) }
    }

    /// The same for a file that cannot be resumed. `name` has 1–255 bytes of UTF-8, and `size` is in bytes.
    public func offerFile(
        name: String, size: UInt64, from source: any FileSource
    ) async throws(RequestError) -> FileID {
        try await offerFile(OutgoingOffer(name: name, size: size), from: source)
    }

    /// Gives the hash of one's own first bytes, which an event asked for.
    public func submitBeginning(_ beginning: HeldBeginning, of file: FileID) async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in
            try link.submitBeginning(beginning, of: file, at: now)
        }
    }

    /// Supplies the bytes that an event asked for. Where a link may come back, the offset says for which event they are
    /// (`Link.supply(_:to:from:at:)`).
    public func supply(_ chunk: [UInt8], to file: FileID, from offset: UInt64? = nil) async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in
            try link.supply(chunk, to: file, from: offset, at: now)
        }
    }

    /// Cancels a file that the local peer sends.
    public func cancelFile(_ file: FileID, reason: FileCancel.Reason = .cancelled) async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in try link.cancelFile(file, reason: reason, at: now) }
    }

    // MARK: Files that the peer sends

    /// Accepts the file that the peer offers, or what is lacking of it. Its bytes come as events.
    public func acceptFile(_ file: FileID, holding held: HeldBeginning? = nil) async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in
            try link.acceptFile(file, holding: held, at: now)
        }
    }

    /// The same, and the file's bytes and end come by ``nextPart(of:)-(FileID)`` instead of events. So a slow disk holds up this file
    /// alone.
    public func receiveFile(_ file: FileID, holding held: HeldBeginning? = nil) async throws(RequestError) {
        // In one step: what ends the offer comes before it, as an event, or after it, as a part.
        try await drive { (driver, now) throws(RequestError) in
            driver.events.separate(file)
            do throws(RequestError) {
                try driver.perform(at: now) { (link, now) throws(RequestError) in
                    try link.acceptFile(file, holding: held, at: now)
                }
            } catch {
                driver.events.drop(file)
                throw error
            }
        }
    }

    /// Returns what comes next of a file that ``receiveFile(_:holding:)`` has accepted; nil after the end, also of the
    /// link, or if the task is cancelled.
    public func nextPart(of file: FileID) async -> FilePart? { await queue.nextPart(of: file) }

    /// Declines a file that the peer offers, or cancels one that is under way.
    public func refuseFile(_ file: FileID, reason: FileCancel.Reason = .declined) async throws(RequestError) {
        queue.drop(file)
        try await perform { (link, now) throws(RequestError) in try link.refuseFile(file, reason: reason, at: now) }
    }

    /// The same where nobody can wait, as in a `deinit`.
    public func submitRefusal(of file: FileID) {
        queue.drop(file)
        submit { (link, now) throws(RequestError) in try link.refuseFile(file, reason: .declined, at: now) }
    }

    /// Tells the peer that its file has been stored, what is called otherwise here, and whether the same file was here already (SPEC §15.5).
    public func confirmFile(
        _ file: FileID, renamed: RenamedNames? = nil, isKept: Bool = false
    ) async throws(RequestError) {
        try await perform { (link, now) throws(RequestError) in
            try link.confirmFile(file, renamed: renamed, isKept: isKept, at: now)
        }
    }
}
