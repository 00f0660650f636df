public import MultipeerCore
public import MultipeerDriver
public import MultipeerWire

#if NIO
    public import MultipeerNIO
#endif

/// What a link must be able to do so that files go over it (SPEC §15.3). `LinkConnection` of `MultipeerNIO` is one. A program with
/// a transport of its own makes one around its `LinkDriver`.
///
/// A request that throws changes nothing.
public protocol FileLink: Sendable {
    /// Offers a file whose bytes come from `source`.
    func offerFile(_ offer: OutgoingOffer, from source: any FileSource) async throws(RequestError) -> FileID

    /// Cancels a file that the local peer sends.
    func cancelFile(_ file: FileID, reason: FileCancel.Reason) async throws(RequestError)

    /// Accepts a file that the peer offers, or what is lacking of it. Its bytes and its end come by ``nextPart(of:)``.
    func receiveFile(_ file: FileID, holding held: HeldBeginning?) async throws(RequestError)

    /// Returns what comes next of an accepted file; nil after the end, also of the link, or if the task is cancelled.
    func nextPart(of file: FileID) async -> FilePart?

    /// Declines a file that the peer offers, or cancels one that is under way.
    func refuseFile(_ file: FileID, reason: FileCancel.Reason) async throws(RequestError)

    /// Declines a file where nobody can wait, as in a `deinit`.
    func submitRefusal(of file: FileID)

    /// Tells the peer that its file has been stored, what is called otherwise here (SPEC §15.5), if anything is, and whether the same file
    /// was here already.
    func confirmFile(_ file: FileID, renamed: RenamedNames?, isKept: Bool) async throws(RequestError)
}

#if NIO
    extension LinkConnection: FileLink {}
#endif
