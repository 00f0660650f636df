public import MultipeerCore
public import MultipeerStorage
public import MultipeerWire

/// Why a file was not transferred to its end.
@nonexhaustive
public enum TransferError: Error, Hashable, Sendable {
    /// The local disk. The peer was told the reason (SPEC §15.3).
    case storage(StorageError)
    /// One peer ended the file. If the local task was cancelled, the reason is `cancelled`, and not by the peer.
    case cancelled(FileCancel.Reason, byPeer: Bool)
    /// The peer has not answered the offer in time: nobody has looked at its question.
    case unanswered
    /// The peer cannot take the offer now, and nobody has declined it: too many questions wait for its person, or its app is about to end.
    case busy
    /// The link ended first, or has ended. What has arrived is kept, and the transfer continues over another link. The
    /// end is nil if nobody reported it (``FileTransfers/finish()``).
    case linkEnded(LinkEnd?)
    /// The link does not take the offer: the peer takes no more files at once (`tooManyFiles`), or the name is out of range
    /// (`invalidFile`).
    case refused(RequestError)
}
