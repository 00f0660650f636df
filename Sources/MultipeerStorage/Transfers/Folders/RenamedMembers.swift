/// The members of a received folder that have another name on this disk than at their sender.
public struct RenamedMembers: Hashable, Sendable {
    /// A file or folder.
    public struct Member: Hashable, Sendable {
        /// Its path within the folder, as its sender says it. It is text of a stranger: escape it for a terminal.
        public let path: String
        /// The same on this disk, with the local names of the folders above it.
        public let localPath: String
    }

    /// How many are named.
    public static let mostNamed = 1_000

    /// The first ones.
    public private(set) var named: [Member] = []
    /// How many there are. What is in a folder of another name does not count for that.
    public private(set) var count = 0

    /// None.
    init() {}

    mutating func add(path: [[UInt8]], localPath: [String]) {
        count += 1
        guard named.count < Self.mostNamed else { return }
        let path = String(decoding: Array(path.joined(separator: [0x2F])), as: UTF8.self)
        named.append(Member(path: path, localPath: localPath.joined(separator: "/")))
    }
}
