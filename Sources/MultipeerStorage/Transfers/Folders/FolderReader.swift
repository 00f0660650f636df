import Glibc
import MultipeerWire

/// A folder that is sent: its manifest, and after it the content of its files in the same order (SPEC §15.8).
///
/// Links are not followed. What is neither file nor folder, or cannot be read, is left out.
final class FolderReader: Sendable {
    /// A file of the folder, and where its content is in the sequence of bytes.
    private struct Member {
        let path: [String]
        let status: FileStatus
        let offset: UInt64
    }

    /// The path of the folder, which only errors use.
    private let path: String
    private let root: OpenFile
    private let manifest: [UInt8]
    /// Files that are not empty, by ascending offsets.
    private let members: [Member]
    /// The length of the sequence of bytes.
    let length: UInt64
    /// What distinguishes the folder, as it is now, from every other content.
    let fingerprint: [UInt8]
    /// What is left out.
    let omitted: OmittedMembers

    /// The length of the manifest, in bytes.
    var manifestLength: UInt64 { UInt64(manifest.count) }

    /// Looks at everything in a folder.
    init(_ root: consuming OpenFile, path: String) throws(StorageError) {
        var walk = FolderWalk(of: path)
        try walk.enter(root, [])
        var found = walk.entries
        found.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        let list = FolderManifest(members: found.map(\.member)).encoded
        guard list.count <= FileOffer.maximumManifestLength else {
            throw StorageError(.open, path, .tooManyMembers(limit: FolderManifest.maximumMembers))
        }
        var offset = UInt64(list.count)
        var members: [Member] = []
        var fingerprint = list
        for entry in found where entry.member.kind != .folder {
            fingerprint += entry.status.fingerprint
            guard entry.member.size > 0 else { continue }
            members.append(Member(path: entry.path, status: entry.status, offset: offset))
            offset += entry.member.size
        }
        self.path = path
        self.root = root
        self.members = members
        self.fingerprint = fingerprint
        omitted = walk.omitted
        manifest = list
        length = offset
    }

    /// Fills `bytes` from `offset`. The whole range must lie within the sequence. The call blocks.
    func fill(_ bytes: inout [UInt8], from offset: UInt64) throws(StorageError) {
        var position = offset
        var filled = 0
        if offset < manifestLength {
            let part = manifest[Int(offset)...].prefix(bytes.count)
            bytes.replaceSubrange(0..<part.count, with: part)
            filled = part.count
            position += UInt64(filled)
        }
        while filled < bytes.count {
            guard let index = members.lastIndex(where: { $0.offset <= position }) else { break }
            let member = members[index]
            let left = UInt64(member.status.size) - (position - member.offset)
            let count = Int(min(left, UInt64(bytes.count - filled)))
            guard count > 0 else { break }
            var piece = [UInt8](repeating: 0, count: count)
            try read(index, into: &piece, at: position - member.offset)
            bytes.replaceSubrange(filled..<filled + count, with: piece)
            filled += count
            position += UInt64(count)
        }
        guard filled == bytes.count else { throw StorageError(.read, path, .changedWhileReading) }
    }

    private func read(_ index: Int, into piece: inout [UInt8], at offset: UInt64) throws(StorageError) {
        let member = members[index]
        let changed = StorageError(.read, path + "/" + member.path.joined(separator: "/"), .changedWhileReading)
        let file = try open(member, changed)
        var span = piece.mutableSpan
        guard try file.read(into: &span, at: Int64(offset)) == piece.count, try file.status() == member.status else {
            throw changed
        }
    }

    private func open(_ member: Member, _ changed: StorageError) throws(StorageError) -> OpenFile {
        do throws(StorageError) {
            guard let name = member.path.last else { throw changed }
            var place = try root.openDirectory(".")
            for part in member.path.dropLast() { place = try place.openDirectory(part) }
            return try place.open(name)
        } catch {
            guard error.reason == .permissionDenied else { throw changed }
            throw error
        }
    }
}

/// Finds what is in a folder.
struct FolderWalk {
    /// Something in a folder.
    struct Entry {
        let path: [String]
        let status: FileStatus
        let member: FolderMember

        /// The path as the manifest has it.
        var bytes: [UInt8] { member.path }

        /// Nil for what is neither file nor folder.
        init?(_ path: [String], _ status: FileStatus) {
            let bytes = Array(path.joined(separator: "/").utf8)
            switch status.kind {
            case S_IFREG:
                member = FolderMember(
                    kind: status.fileKind, size: UInt64(max(0, status.size)), modified: status.modifiedTime,
                    path: bytes)
            case S_IFDIR: member = FolderMember(kind: .folder, size: 0, modified: 0, path: bytes)
            default: return nil
            }
            self.path = path
            self.status = status
        }
    }

    /// The path of the whole folder, which only errors use.
    private let path: String
    private let mostMembers: Int
    /// Everything in the folder and in what is below it, in no order.
    private(set) var entries: [Entry] = []
    /// What is left out.
    private(set) var omitted = OmittedMembers()

    init(of path: String, mostMembers: Int = FolderManifest.maximumMembers) {
        self.path = path
        self.mostMembers = mostMembers
    }

    /// Looks at everything in a folder, and below it.
    /// - Throws: ``StorageError``, with ``StorageError/Reason/pathTooLong`` for a path that no manifest can have, and
    ///   ``StorageError/Reason/tooManyMembers(limit:)`` for the whole folder.
    mutating func enter(_ folder: borrowing OpenFile, _ path: [String]) throws(StorageError) {
        var others: [String] = []
        let names = try folder.names(where: { $0 != "." && $0 != ".." }, otherwise: { others.append($0) })
        for name in others { omitted.add(path + [name], .nameNotText) }
        for name in names {
            guard let status = folder.statusOfEntry(name) else { continue }
            guard let entry = Entry(path + [name], status) else {
                if let reason = OmittedMembers.Reason(kind: status.kind) { omitted.add(path + [name], reason) }
                continue
            }
            guard entry.path.count <= FolderMember.maximumParts, entry.bytes.count <= FolderMember.maximumPathLength
            else { throw StorageError(.open, folder.path + "/" + name, .pathTooLong) }
            try add(entry, name, of: folder)
        }
    }

    /// Takes a file or folder that can be opened.
    private mutating func add(_ entry: Entry, _ name: String, of folder: borrowing OpenFile) throws(StorageError) {
        let opened: OpenFile
        do throws(StorageError) {
            opened = try entry.member.kind == .folder ? folder.openDirectory(name) : folder.open(name)
        } catch {
            switch error.reason {
            case .permissionDenied: return omitted.add(entry.path, .unreadable)
            case .notFound: return  // It is gone by now.
            default: throw error
            }
        }
        guard entries.count < mostMembers else {
            throw StorageError(.open, path, .tooManyMembers(limit: mostMembers))
        }
        entries.append(entry)
        if entry.member.kind == .folder { try enter(opened, entry.path) }
    }
}
