/// The largest file, in bytes (SPEC §15.3).
public let maximumFileSize: UInt64 = 1 << 53 - 1

/// FILE_OFFER (SPEC §15.3).
public struct FileOffer: ControlFrame, Equatable {
    public static let type = FrameType.fileOffer

    /// The number of the file: even from the peer with the lesser identity key, odd from the other (SPEC §15.3).
    public let id: UInt64
    /// The size of the file, in bytes.
    public let size: UInt64
    /// The name: 1–255 bytes of well-formed UTF-8. It comes from the peer; use it on a disk only as SPEC §15.5 says.
    public let name: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame from values that must be in range.
    public init(id: UInt64, size: UInt64, name: [UInt8], fields: [Field] = []) {
        self.id = id
        self.size = size
        self.name = name
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.fileID)
        size = try payload.varint(.fileSize)
        guard size <= maximumFileSize else { throw WireError(.valueOutOfRange, in: .fileSize) }
        name = try payload.text(1...255, .fileName)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.varint(size)
        payload.vector(name)
        payload.fieldList(fields)
    }
}

/// FILE_ACCEPT (SPEC §15.3).
public struct FileAccept: ControlFrame, Equatable {
    public static let type = FrameType.fileAccept

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
    }

    /// The number of the file, which tells who offered it (SPEC §15.4).
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
