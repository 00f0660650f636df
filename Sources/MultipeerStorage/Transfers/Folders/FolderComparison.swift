import Glibc
import MultipeerWire

/// Looks whether a folder of this disk is the one that a peer has sent (SPEC §15.5): the same names, the same bytes, and nothing else. Links
/// are not followed, and what is neither file nor folder makes it another one.
struct FolderComparison {
    private let tree: FolderTree
    /// Whether bytes are compared, or names and sizes alone.
    private var comparesBytes = false

    init(_ tree: FolderTree) { self.tree = tree }

    /// Whether the folder holds what the bytes of a peer's folder in `file` say. Names and sizes are compared first, because that is fast.
    func isSame(_ folder: borrowing OpenFile, as file: borrowing OpenFile) throws(StorageError) -> Bool {
        guard try holds(FolderTree.root, folder, file) else { return false }
        var thorough = self
        thorough.comparesBytes = true
        return try thorough.holds(FolderTree.root, folder, file)
    }

    private func holds(
        _ number: Int, _ folder: borrowing OpenFile, _ file: borrowing OpenFile
    ) throws(StorageError) -> Bool {
        let children = tree.nodes[number].children
        guard try names(in: folder) == Set(children.map { Array(tree.nodes[$0].part) }) else { return false }
        for child in children {
            guard try isSame(tree.nodes[child], child, in: folder, file) else { return false }
        }
        return true
    }

    private func isSame(
        _ node: FolderTree.Node, _ number: Int, in folder: borrowing OpenFile, _ file: borrowing OpenFile
    ) throws(StorageError) -> Bool {
        let name = String(decoding: node.part, as: UTF8.self)
        let isFolder = node.kind == .folder
        guard let before = folder.statusOfEntry(name), before.kind == (isFolder ? S_IFDIR : S_IFREG) else {
            return false
        }
        if isFolder {
            guard try holds(number, folder.openDirectory(name), file) else { return false }
        } else {
            guard UInt64(max(0, before.size)) == node.size else { return false }
            if comparesBytes {
                let isSame = try file.hasSameBytes(as: folder.open(name), count: node.size, from: node.offset)
                guard isSame else { return false }
            }
        }
        // It may have been changed or replaced meanwhile.
        return folder.statusOfEntry(name) == before
    }

    /// The names in a folder, as bytes; nil if one of them cannot be that of a member.
    private func names(in folder: borrowing OpenFile) throws(StorageError) -> Set<[UInt8]>? {
        var hasOthers = false
        let names = try folder.names(where: { $0 != "." && $0 != ".." }, otherwise: { _ in hasOthers = true })
        return hasOthers ? nil : Set(names.map { Array($0.utf8) })
    }
}
