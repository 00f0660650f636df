/// One member of a folder, as its manifest lists it (SPEC §15.8).
public struct FolderMember: Hashable, Sendable {
    /// The greatest length of a path, in bytes.
    public static let maximumPathLength = 1_024
    /// The greatest number of parts of a path.
    public static let maximumParts = 32
    /// The greatest length of a part, in bytes.
    public static let maximumPartLength = 255

    /// What the member is.
    public let kind: FileKind
    /// Its size in bytes; 0 for a folder.
    public let size: UInt64
    /// When its content was last changed, in seconds since 1970; 0 if that is unknown. Not used for a folder.
    public let modified: UInt64
    /// Where it is within the folder: parts of 1 to 255 bytes of UTF-8, separated by `/`. It comes from the peer: use it
    /// on a disk only as R15.8-2 says.
    public let path: [UInt8]

    /// Creates a member from values that must be in range.
    public init(kind: FileKind, size: UInt64, modified: UInt64, path: [UInt8]) {
        self.kind = kind
        self.size = size
        self.modified = modified
        self.path = path
    }

    /// The parts of the path.
    public var parts: [ArraySlice<UInt8>] {
        path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }

    /// Writes the member.
    public func write(_ writer: inout Writer) {
        writer.u8(kind.rawValue)
        writer.varint(size)
        writer.varint(modified)
        writer.vector(path)
    }

    /// Whether every part of the path can be one (R15.8-1).
    var hasSoundPath: Bool {
        let parts = parts
        let dot = UInt8(ascii: ".")
        return parts.count <= Self.maximumParts
            && parts.allSatisfy { part in
                (1...Self.maximumPartLength).contains(part.count) && !part.elementsEqual([dot])
                    && !part.elementsEqual([dot, dot])
            }
    }
}

extension Reader {
    /// Takes a member of a manifest.
    @_lifetime(self: copy self)
    mutating func folderMember() throws(WireError) -> FolderMember {
        let member = FolderMember(
            kind: try fileKind(), size: try varint(.memberSize), modified: try varint(.fileModified),
            path: try text(1...FolderMember.maximumPathLength, .memberPath))
        guard member.kind != .folder || member.size == 0 else { throw WireError(.valueOutOfRange, in: .memberSize) }
        guard member.hasSoundPath else { throw WireError(.valueOutOfRange, in: .memberPath) }
        return member
    }
}
