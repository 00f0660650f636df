public import MultipeerCrypto

/// Why a request of the app was refused. A refused request changes nothing.
@nonexhaustive
public enum RequestError: Error, Hashable, Sendable {
    /// The link's stage does not allow the request.
    case wrongStage(LinkStage)
    /// The token was answered before, expired, or is not this link's. Late and doubled answers end here (R10.5-1).
    case staleToken
    /// The invitation's context is longer than 16,384 bytes, its timeout is not within 1 ms and 10 minutes, its charter or its
    /// chain does not encode, its new session has another founder, or a responder invites a member (R14.8-1).
    case invalidInvitation
    /// The message is longer than the peer takes.
    case messageTooLong(maximum: UInt64)
    /// The peer takes no more files before others have ended (SPEC §13.5).
    case tooManyFiles
    /// A part of the offer is out of range: the name has not 1–255 bytes, the size exceeds 2^53−1 bytes, or the manifest or
    /// the tag does not fit.
    case invalidFile
    /// No such file is under way, or it is not at this point.
    case unknownFile
    /// The peer takes no more streams before others have ended (SPEC §13.5): wait for ``StreamEvent/mayOpen``.
    case tooManyStreams
    /// The stream's name has more than 255 bytes.
    case invalidStream
    /// No such stream is open, or its direction has ended.
    case unknownStream
    /// More bytes than the file has left, or none.
    case wrongChunkLength
    /// The export's label has not 1–255 bytes, its context more than 1,024, or its length is not within 1 and 8,160.
    case invalidExport
    /// One of the two peers does not know how to verify by short strings and codes: the peer does not list the feature,
    /// or the local peer does not (SPEC §25.6).
    case verificationUnavailable
    /// A code has been tried on this link. There is one attempt on each (R25.6-7).
    case codeTriedBefore
    /// The local person has said already that it wants to compare. There is one short string on each link (SPEC §25.3).
    case comparedBefore
    /// A secret could not be used.
    case crypto(CryptoFailure)
}
