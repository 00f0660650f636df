/// The list of what a folder holds: the beginning of the folder's bytes (SPEC §15.8).
public struct FolderManifest: Hashable, Sendable {
    /// The greatest number of members.
    public static let maximumMembers = 65_536
    /// The greatest number of folders that the paths go through, of which each counts where a path leads into it anew.
    public static let maximumFolders = 65_536

    /// The members, in ascending order of their paths.
    public let members: [FolderMember]

    /// Creates a manifest from members that R15.8-1 allows.
    public init(members: [FolderMember]) { self.members = members }

    /// Decodes the manifest of an offer of `size` bytes, and checks all of R15.8-1.
    /// - Throws: ``WireError``. Whatever it is, it is no fault of the link: the folder ends by FILE_CANCEL with
    ///   ``FileCancel/Reason/badManifest``.
    public init(encoded: Span<UInt8>, offerSize size: UInt64) throws(WireError) {
        var reader = Reader(encoded)
        var members: [FolderMember] = []
        var order = PathOrder()
        var total = UInt64(encoded.count)
        while reader.remaining > 0 {
            let member = try reader.folderMember()
            guard members.count < Self.maximumMembers else { throw WireError(.lengthOutOfRange, in: .fileManifest) }
            try order.append(member)
            // Nothing overflows for the size of an offer, which is a varint; a caller may say any other.
            let (sum, overflows) = total.addingReportingOverflow(member.size)
            guard !overflows, sum <= size else { throw WireError(.valueOutOfRange, in: .memberSize) }
            total = sum
            members.append(member)
        }
        guard total == size else { throw WireError(.valueOutOfRange, in: .memberSize) }
        self.members = members
    }

    /// The bytes of the manifest.
    public var encoded: [UInt8] {
        var writer = Writer()
        for member in members { member.write(&writer) }
        return writer.bytes
    }
}

/// Checks that paths ascend, that none lies below a file, and that they go through few folders.
private struct PathOrder {
    private var last: [UInt8]?
    private var lastParts: [ArraySlice<UInt8>] = []
    /// The parts before the last that paths did not share with the one before them.
    private var folders = 0
    /// The lengths of the beginnings of `last` that are files. Between a file and what lies below it there are only paths
    /// that begin as the file does, because paths ascend.
    private var files: [Int] = []

    mutating func append(_ member: FolderMember) throws(WireError) {
        let path = member.path
        if let last {
            guard last.lexicographicallyPrecedes(path) else { throw WireError(.notAscending, in: .memberPath) }
            let common = zip(last, path).prefix { $0 == $1 }.count
            files.removeAll { $0 > common }
        }
        // A file's path is shorter than one that begins with it.
        if files.contains(where: { $0 < path.count && path[$0] == UInt8(ascii: "/") }) {
            throw WireError(.valueOutOfRange, in: .memberPath)
        }
        if member.kind != .folder { files.append(path.count) }
        try count(member.parts)
        last = path
    }

    private mutating func count(_ parts: [ArraySlice<UInt8>]) throws(WireError) {
        let shared = zip(lastParts, parts).prefix { $0.elementsEqual($1) }.count
        folders += max(parts.count - 1 - shared, 0)
        guard folders <= FolderManifest.maximumFolders else { throw WireError(.lengthOutOfRange, in: .fileManifest) }
        lastParts = parts
    }
}
