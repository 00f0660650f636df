/// What is said of a peer on the network (SPEC §23.2). Anybody can say it: it proves nothing.
public struct Advertisement: Hashable, Sendable {
    /// What distinguishes the peer from others.
    public enum Tag: Hashable, Sendable {
        /// By its identity key.
        case key(KeyTag)
        /// By a number that is another one each time, so that nobody recognises the peer (SPEC §23.3).
        case random(KeyTag)

        /// The 8 bytes.
        public var bytes: KeyTag {
            switch self {
            case .key(let tag), .random(let tag): tag
            }
        }
    }

    /// What distinguishes the peer.
    public let tag: Tag
    /// What it calls itself; nil in private advertisements, and where others advertise what is no name.
    public let name: DisplayName?
    /// What its app says.
    public let info: DiscoveryInfo

    /// A peer that everyone may recognise.
    public init(of tag: KeyTag, named name: DisplayName, info: DiscoveryInfo = DiscoveryInfo()) {
        self.tag = .key(tag)
        self.name = name
        self.info = info
    }

    /// A peer that shows neither name nor key.
    /// - Parameters:
    ///   - tag: Random bytes, new ones each time (R23.3-2).
    ///   - info: What the app says all the same.
    public init(privately tag: KeyTag, info: DiscoveryInfo = DiscoveryInfo()) {
        self.tag = .random(tag)
        name = nil
        self.info = info
    }

    /// Whether it shows neither name nor key.
    public var isPrivate: Bool {
        switch tag {
        case .key: false
        case .random: true
        }
    }

    /// The instance name that is wanted.
    package var instanceName: InstanceName { InstanceName(name?.description ?? tag.bytes.description) }

    // MARK: TXT

    /// The strings of TXT, in their order (R23.2-1), for the instance name that the service has got.
    package func strings(as instanceName: String) -> [[UInt8]] {
        var strings = ["_v=1"]
        switch tag {
        case .key(let tag): strings.append("_k=\(tag)")
        case .random(let tag): strings.append("_r=\(tag)")
        }
        if let name, name.description != instanceName { strings.append("_n=\(name)") }
        return strings.map { Array($0.utf8) } + info.strings
    }

    /// The most bytes of TXT that are read.
    static let maximumByteCount = 1_300

    /// Reads what somebody says; nil for what is no advertisement (R23.2-3).
    public init?(reading strings: [[UInt8]], instanceName: String) {
        guard strings.reduce(0, { $0 + 1 + $1.count }) <= Self.maximumByteCount,
            strings.first == Array("_v=1".utf8)
        else { return nil }
        let pairs = Self.pairs(in: strings)
        let tags = ["_k", "_r"].compactMap { key in pairs.first { $0.key == key } }
        guard tags.count == 1, let tag = KeyTag(tags[0].value) else { return nil }
        let isPrivate = tags[0].key == "_r"
        self.tag = isPrivate ? .random(tag) : .key(tag)
        let shown = pairs.first { $0.key == "_n" }?.value ?? instanceName
        name = isPrivate ? nil : try? DisplayName(shown)
        info = DiscoveryInfo(read: pairs.filter { DiscoveryInfo.isAllowed($0.key) })
    }

    /// R23.2-4. Keys that begin with an underscore are in lowercase here.
    private static func pairs(in strings: [[UInt8]]) -> [DiscoveryInfo.Pair] {
        var pairs: [DiscoveryInfo.Pair] = []
        for string in strings {
            let separator = string.firstIndex(of: UInt8(ascii: "=")) ?? string.endIndex
            let value = string[separator...].dropFirst()
            guard let key = String(validating: string[..<separator], as: UTF8.self), !key.isEmpty,
                let value = String(validating: value, as: UTF8.self)
            else { continue }
            guard !pairs.contains(where: { DiscoveryInfo.areEqual($0.key, key) }) else { continue }
            pairs.append(DiscoveryInfo.Pair(key: key.hasPrefix("_") ? DiscoveryInfo.lowercase(key) : key, value: value))
        }
        return pairs
    }
}
