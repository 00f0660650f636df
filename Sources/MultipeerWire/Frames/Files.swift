/// The largest file, in bytes (SPEC §15.3).
public let maximumFileSize: UInt64 = 1 << 53 - 1

/// FILE_OFFER (SPEC §15.3).
public struct FileOffer: ControlFrame, Equatable {
    public static let type = FrameType.fileOffer

    /// 0, 1, 2 … in the order of offers of one direction.
    public let id: UInt64
    /// In bytes.
    public let size: UInt64
    /// Well-formed UTF-8, 1–255 bytes. A peer's words: see SPEC §15.5 before it comes near a disk.
    public let name: [UInt8]
    /// Fields of later versions.
    public let fields: [Field]

    /// Joins the values, which must be in range.
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

    /// A file that the receiver of this frame offered.
    public let id: UInt64

    /// For a file.
    public init(id: UInt64) { self.id = id }

    public init(_ payload: inout Reader) throws(WireError) { id = try payload.varint(.fileID) }

    public func write(_ payload: inout Writer) { payload.varint(id) }
}

/// FILE_DONE (SPEC §15.3).
public struct FileDone: ControlFrame, Equatable {
    public static let type = FrameType.fileDone

    /// A file that the receiver of this frame offered.
    public let id: UInt64

    /// For a file.
    public init(id: UInt64) { self.id = id }

    public init(_ payload: inout Reader) throws(WireError) { id = try payload.varint(.fileID) }

    public func write(_ payload: inout Writer) { payload.varint(id) }
}

/// FILE_END (SPEC §15.3).
public struct FileEnd: ControlFrame, Equatable {
    public static let type = FrameType.fileEnd

    /// A file that the sender of this frame offered.
    public let id: UInt64
    /// SHA-256 of the whole file, 32 bytes.
    public let digest: [UInt8]

    /// Joins file and digest.
    public init(id: UInt64, digest: [UInt8]) {
        self.id = id
        self.digest = digest
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.fileID)
        digest = try payload.bytes(exactly: 32, .fileDigest)
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.raw(digest)
    }
}

/// FILE_CANCEL (SPEC §15.3, §15.4).
public struct FileCancel: ControlFrame, Equatable {
    public static let type = FrameType.fileCancel

    /// Why a file ends early.
    public enum Reason: UInt8, Sendable, CaseIterable {
        case declined = 1
        /// Also what an unknown reason means.
        case cancelled = 2
        case storageFailed = 3
        case sourceFailed = 4
        case hashMismatch = 5
        case tooLarge = 6
    }

    /// Which file.
    public let id: UInt64
    /// Whether it is one that the sender of this frame offered (SPEC §15.4).
    public let isSendersFile: Bool
    public let reason: Reason

    /// Joins the values.
    public init(id: UInt64, isSendersFile: Bool, reason: Reason) {
        self.id = id
        self.isSendersFile = isSendersFile
        self.reason = reason
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.fileID)
        let byte = try payload.u8(.reason)
        isSendersFile = byte & 0x80 != 0
        reason = Reason(rawValue: byte & 0x7F) ?? .cancelled
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.u8((isSendersFile ? 0x80 : 0) | reason.rawValue)
    }
}
