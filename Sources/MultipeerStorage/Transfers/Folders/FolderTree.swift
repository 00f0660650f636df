import MultipeerWire

/// A folder that a peer has sent, as a tree: what is in each folder, in the order of the manifest (SPEC §15.8).
struct FolderTree {
    /// A file or folder.
    struct Node {
        /// The name, as the manifest has it.
        let part: ArraySlice<UInt8>
        var kind = FileKind.folder
        var size: UInt64 = 0
        var modified: UInt64 = 0
        /// Where its content begins in the sequence of bytes.
        var offset: UInt64 = 0
        /// What is in it.
        var children: [Int] = []
    }

    private struct Place: Hashable {
        let folder: Int
        let part: ArraySlice<UInt8>
    }

    /// The folder itself.
    static let root = 0

    private(set) var nodes = [Node(part: [])]

    /// - Parameter offset: Where the content of the first file begins: the length of the manifest.
    init(_ manifest: FolderManifest, contentAt offset: UInt64) {
        var known: [Place: Int] = [:]
        var offset = offset
        for member in manifest.members {
            var node = Self.root
            for part in member.parts {
                let place = Place(folder: node, part: part)
                node = known[place] ?? append(Node(part: part), in: node)
                known[place] = node
            }
            nodes[node].kind = member.kind
            (nodes[node].size, nodes[node].modified, nodes[node].offset) = (member.size, member.modified, offset)
            offset += member.size
        }
    }

    private mutating func append(_ node: Node, in folder: Int) -> Int {
        nodes.append(node)
        nodes[folder].children.append(nodes.count - 1)
        return nodes.count - 1
    }
}
