public import MultipeerCrypto
public import MultipeerWire
import Synchronization

/// A file's number on a link, of either direction (SPEC §13.2).
public struct FileID: Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt64
}

/// What the local peer offers.
public struct OutgoingOffer: Hashable, Sendable {
    /// 1–255 bytes of UTF-8.
    public var name: String
    /// In bytes, at most 2^53 − 1.
    public var size: UInt64
    /// What distinguishes this content from other content, 16 bytes (SPEC §15.7).
    public var tag: [UInt8]
    /// What it is.
    public var kind: FileKind
    /// When the content was last changed, in seconds since 1970; 0 if that is unknown.
    public var modified: UInt64
    /// The length of a folder's manifest, in bytes (SPEC §15.8).
    public var manifest: UInt64

    /// Describes an offer. Without a tag it cannot be resumed.
    public init(
        name: String, size: UInt64, tag: [UInt8] = FileOffer.noTag, kind: FileKind = .file, modified: UInt64 = 0,
        manifest: UInt64 = 0
    ) {
        self.name = name
        self.size = size
        self.tag = tag
        self.kind = kind
        self.modified = modified
        self.manifest = manifest
    }

    /// The frame; nil if a part is out of range.
    func frame(id: UInt64) -> FileOffer? {
        let bytes = Array(name.utf8)
        let greatestManifest = kind == .folder ? min(size, FileOffer.maximumManifestLength) : 0
        guard (1...255).contains(bytes.count), size <= maximumFileSize, tag.count == FileOffer.tagLength,
            modified <= VarInt.maximum, manifest <= greatestManifest
        else { return nil }
        return FileOffer(
            id: id, size: size, tag: tag, kind: kind, modified: modified, manifest: manifest, name: bytes)
    }
}

/// What the peer offers.
public struct IncomingOffer: Hashable, Sendable {
    public let file: FileID
    /// As the peer says. Do not use it on a disk.
    public let name: String
    /// Safe for a disk, once people have seen it: it may begin with a full stop (SPEC §15.5, R15.5-3).
    public let localName: String
    /// In bytes.
    public let size: UInt64
    /// What distinguishes this content from other content of the same peer, 16 bytes (SPEC §15.7).
    public let tag: [UInt8]
    /// What it is.
    public let kind: FileKind
    /// When the content was last changed, in seconds since 1970; 0 if that is unknown.
    public let modified: UInt64
    /// The length of a folder's manifest, in bytes (SPEC §15.8).
    public let manifest: UInt64

    init(_ frame: FileOffer) {
        file = FileID(rawValue: frame.id)
        name = String(decoding: frame.name, as: UTF8.self)
        localName = SanitizedFileName.derive(from: frame.name)
        size = frame.size
        tag = frame.tag
        kind = frame.kind
        modified = frame.modified
        manifest = frame.manifest
    }
}

/// What the local peer holds of a file already, from an earlier link (SPEC §15.7).
///
/// It may be made on one thread and used on another. It is good for one file: its digester goes to that.
public struct HeldBeginning: Sendable {
    /// How many bytes.
    public let length: UInt64
    /// The SHA-256 of them, computed from the bytes that are held now (R15.7-2).
    public let digest: Digest
    private let continuation: Continuation

    /// What continues the hash, until somebody takes it.
    private final class Continuation: Sendable {
        private let digester: Mutex<(any Digester)?>

        init(_ digester: sending any Digester) { self.digester = Mutex(digester) }

        func take() -> sending (any Digester)? { digester.withLock { $0.take() } }
    }

    /// Describes a beginning.
    /// - Parameters:
    ///   - length: How many bytes.
    ///   - digest: The SHA-256 of them.
    ///   - digester: A SHA-256 that has taken them, and continues with what comes. Nobody else uses it any more.
    public init(length: UInt64, digest: Digest, digester: sending any Digester) {
        self.length = length
        self.digest = digest
        continuation = Continuation(digester)
    }

    /// Takes out the digester; nil if that was done before.
    package func takeDigester() -> sending (any Digester)? { continuation.take() }
}

/// What happens to files that the peer sends.
@nonexhaustive
public enum IncomingFileEvent: Hashable, Sendable {
    /// The peer offers a file. Answer with `acceptFile` or `refuseFile`.
    indirect case offered(IncomingOffer)
    /// The next bytes of the file. Say so by `Link.releaseCredit(_:of:at:)` once the app has taken them, or the file stops.
    case data(FileID, [UInt8])
    /// All bytes came and the hash is right. Store the file, then `confirmFile`, or `refuseFile`.
    indirect case complete(FileID, Digest)
    /// The file ended early; what came of it is not to be kept as the file. Say so by `Link.tookEnd(of:at:)` once the app has
    /// taken it, or the peer can offer fewer files.
    indirect case ended(FileID, FileCancel.Reason, byPeer: Bool)
}

/// What happens to files that the local peer sends.
@nonexhaustive
public enum OutgoingFileEvent: Hashable, Sendable {
    /// The peer holds `length` bytes of it. Hash one's own first bytes, and give them by `submitBeginning` (R15.3-10).
    case beginningWanted(FileID, length: UInt64)
    /// The peer accepted.
    case accepted(FileID)
    /// Supply bytes from `offset` on, at least one and at most `maximum`, by `supply`.
    indirect case wanted(FileID, offset: UInt64, maximum: Int)
    /// The peer has stored the file, and called something otherwise. ``delivered(_:_:)`` comes next.
    indirect case renamed(FileID, RenamedNames)
    /// The peer had the same file already, and has kept that one. ``delivered(_:_:)`` comes next.
    case kept(FileID)
    /// The peer has the whole file, verified and stored. The digest is the SHA-256 of all of it.
    indirect case delivered(FileID, Digest)
    /// The file ended early.
    indirect case ended(FileID, FileCancel.Reason, byPeer: Bool)
}
