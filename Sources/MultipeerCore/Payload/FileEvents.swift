public import MultipeerCrypto
public import MultipeerWire

/// A file's number on a link, of either direction (SPEC §15.3).
public struct FileID: Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt64
}

/// The numbers of the files that one of both peers offers (SPEC §15.3).
enum FileNumbers: UInt64, Sendable {
    /// Those of the peer with the lesser identity key.
    case even = 0
    case odd = 1

    var other: FileNumbers { self == .even ? .odd : .even }
    var first: UInt64 { rawValue }

    func contain(_ id: UInt64) -> Bool { id % 2 == rawValue }
}

/// What happens to the file that the peer sends.
@nonexhaustive
public enum IncomingFileEvent: Hashable, Sendable {
    /// The peer offers a file. Answer with `acceptFile` or `refuseFile`. `localName` is safe for a disk, `name` is not.
    case offered(FileID, name: String, localName: String, size: UInt64)
    /// The next bytes of the file.
    case data(FileID, [UInt8])
    /// All bytes came and the hash is right. Store the file, then `confirmFile`, or `refuseFile`.
    case complete(FileID, Digest)
    /// The file ended early; what came of it is not to be kept as the file.
    case ended(FileID, FileCancel.Reason, byPeer: Bool)
}

/// What happens to the file that this side sends.
@nonexhaustive
public enum OutgoingFileEvent: Hashable, Sendable {
    /// The peer accepted.
    case accepted(FileID)
    /// Supply bytes from `offset` on, at least one and at most `maximum`, by `supply`.
    case wanted(FileID, offset: UInt64, maximum: Int)
    /// The peer has the whole file, verified and stored. The digest is the SHA-256 of what was sent.
    case delivered(FileID, Digest)
    /// The file ended early.
    case ended(FileID, FileCancel.Reason, byPeer: Bool)
}
