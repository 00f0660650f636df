/// The largest file, in bytes (SPEC §15.3).
public let maximumFileSize: UInt64 = 1 << 53 - 1

/// What is offered (SPEC §15.3), and what a member of a folder is (SPEC §15.8).
public enum FileKind: UInt8, Sendable, CaseIterable {
    /// A file.
    case file = 0
    /// A file that may be executed.
    case executable = 1
    /// A folder.
    case folder = 2
}

extension Reader {
    /// Takes the type of a file. An unknown one is critical (R15.3-8).
    @_lifetime(self: copy self)
    mutating func fileKind() throws(WireError) -> FileKind {
        guard let kind = FileKind(rawValue: try u8(.fileType)) else { throw WireError(.unknownCritical, in: .fileType) }
        return kind
    }
}

/// FILE_OFFER (SPEC §15.3).
public struct FileOffer: ControlFrame, Equatable {
    public static let type = FrameType.fileOffer

    /// The length of a tag, in bytes.
    public static let tagLength = 16
    /// The tag that says that there is none: sixteen zero bytes (SPEC §15.7).
    public static let noTag = [UInt8](repeating: 0, count: tagLength)
    /// The greatest length of a folder's manifest, in bytes (R15.3-8).
    public static let maximumManifestLength: UInt64 = 4_194_304

    /// The number of the file: even from the peer with the lesser identity key, odd from the other (SPEC §13.2).
    public let id: UInt64
    /// The size of the file, in bytes.
    public let size: UInt64
    /// What distinguishes this content from other content of its sender, 16 bytes (SPEC §15.7).
    public let tag: [UInt8]
    /// What is offered.
    public let kind: FileKind
    /// When the content was last changed, in seconds since 1970; 0 if that is unknown.
    public let modified: UInt64
    /// The length of a folder's manifest, in bytes; 0 for files (SPEC §15.8).
    public let manifest: UInt64
    /// The name: 1–255 bytes of well-formed UTF-8. It comes from the peer; use it on a disk only as SPEC §15.5 says.
    public let name: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame from values that must be in range.
    public init(
        id: UInt64, size: UInt64, tag: [UInt8] = noTag, kind: FileKind = .file, modified: UInt64 = 0,
        manifest: UInt64 = 0, name: [UInt8], fields: [Field] = []
    ) {
        self.id = id
        self.size = size
        self.tag = tag
        self.kind = kind
        self.modified = modified
        self.manifest = manifest
        self.name = name
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.fileID)
        size = try payload.varint(.fileSize)
        guard size <= maximumFileSize else { throw WireError(.valueOutOfRange, in: .fileSize) }
        tag = try payload.bytes(exactly: Self.tagLength, .fileTag)
        kind = try payload.fileKind()
        modified = try payload.varint(.fileModified)
        manifest = try payload.varint(.fileManifest)
        guard manifest <= (kind == .folder ? min(size, Self.maximumManifestLength) : 0) else {
            throw WireError(.valueOutOfRange, in: .fileManifest)
        }
        name = try payload.text(1...255, .fileName)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.varint(size)
        payload.raw(tag)
        payload.u8(kind.rawValue)
        payload.varint(modified)
        payload.varint(manifest)
        payload.vector(name)
        payload.fieldList(fields)
    }
}

/// FILE_ACCEPT (SPEC §15.3).
public struct FileAccept: ControlFrame, Equatable {
    public static let type = FrameType.fileAccept

    /// What a receiver usually takes at first, in bytes (SPEC §15.3).
    public static let usualCredit: UInt64 = 1_048_576
    /// The SHA-256 of no bytes, which goes with an ``offset`` of 0 (R15.7-4).
    public static let digestOfNothing: [UInt8] = [
        0xE3, 0xB0, 0xC4, 0x42, 0x98, 0xFC, 0x1C, 0x14, 0x9A, 0xFB, 0xF4, 0xC8, 0x99, 0x6F, 0xB9, 0x24,
        0x27, 0xAE, 0x41, 0xE4, 0x64, 0x9B, 0x93, 0x4C, 0xA4, 0x95, 0x99, 0x1B, 0x78, 0x52, 0xB8, 0x55,
    ]

    /// The number of a file that the receiver of this frame offered.
    public let id: UInt64
    /// How many bytes from the beginning the sender of this frame holds already.
    public let offset: UInt64
    /// The SHA-256 digest of those bytes, 32 bytes.
    public let digest: [UInt8]
    /// How many bytes after them the sender of this frame takes at first.
    public let credit: UInt64
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame for a file, from values that must be in range.
    public init(
        id: UInt64, offset: UInt64 = 0, digest: [UInt8] = digestOfNothing, credit: UInt64 = usualCredit,
        fields: [Field] = []
    ) {
        self.id = id
        self.offset = offset
        self.digest = digest
        self.credit = credit
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.fileID)
        offset = try payload.varint(.fileOffset)
        digest = try payload.bytes(exactly: 32, .fileDigest)
        credit = try payload.varint(.fileCredit)
        // R15.3-9. Both are below 2^62, so the sum does not overflow.
        guard offset + credit <= VarInt.maximum else { throw WireError(.valueOutOfRange, in: .fileCredit) }
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.varint(offset)
        payload.raw(digest)
        payload.varint(credit)
        payload.fieldList(fields)
    }
}

/// FILE_DONE (SPEC §15.3).
public struct FileDone: ControlFrame, Equatable {
    public static let type = FrameType.fileDone

    /// The number of a file that the receiver of this frame offered.
    public let id: UInt64

    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame for a file.
    public init(id: UInt64, fields: [Field] = []) {
        self.id = id
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.fileID)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.fieldList(fields)
    }
}

/// FILE_END (SPEC §15.3).
public struct FileEnd: ControlFrame, Equatable {
    public static let type = FrameType.fileEnd

    /// The number of a file that the sender of this frame offered.
    public let id: UInt64
    /// The SHA-256 digest of the whole file, 32 bytes.
    public let digest: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame for a file and its digest.
    public init(id: UInt64, digest: [UInt8], fields: [Field] = []) {
        self.id = id
        self.digest = digest
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.fileID)
        digest = try payload.bytes(exactly: 32, .fileDigest)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.raw(digest)
        payload.fieldList(fields)
    }
}

/// FILE_CANCEL (SPEC §15.3, §15.4).
public struct FileCancel: ControlFrame, Equatable {
    public static let type = FrameType.fileCancel

    /// The reason why a file ends early.
    public enum Reason: UInt8, Sendable, CaseIterable {
        case declined = 1
        /// An unknown reason also means this.
        case cancelled = 2
        case storageFailed = 3
        case sourceFailed = 4
        case hashMismatch = 5
        case tooLarge = 6
        /// The sender's own beginning differs from the one that the receiver holds (R15.3-10).
        case beginningDiffers = 7
        /// The source has changed since the offer (R15.3-11).
        case sourceChanged = 8
        case noSpace = 9
        case noPermission = 10
        /// The folder's list of members is not as R15.8-1 asks.
        case badManifest = 11
        /// The link ends, and the file can continue over another one.
        case interrupted = 12
        /// It took too long.
        case stalled = 13
    }

    /// The number of the file, which shows the peer that offered it (SPEC §15.4).
    public let id: UInt64
    public let reason: Reason
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame.
    public init(id: UInt64, reason: Reason, fields: [Field] = []) {
        self.id = id
        self.reason = reason
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.fileID)
        reason = Reason(rawValue: try payload.u8(.reason)) ?? .cancelled
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.u8(reason.rawValue)
        payload.fieldList(fields)
    }
}
