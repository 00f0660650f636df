/// What an app says of a peer to everyone on the network (SPEC §23.2): short texts by key. It is public.
public struct DiscoveryInfo: Hashable, Sendable {
    /// The most bytes that all strings have together, each with a byte of length.
    public static let maximumByteCount = 400
    /// The most bytes of `key=value`.
    package static let maximumStringLength = 255
    /// The most characters of a key.
    static let maximumKeyLength = 64

    /// The pairs, in order.
    public let pairs: [Pair]

    /// A key and its value.
    public struct Pair: Hashable, Sendable {
        /// 1–64 characters of ASCII without `=`, with no underscore in front. The case of letters does not count.
        public let key: String
        /// A text, perhaps an empty one.
        public let value: String
    }

    /// Nothing.
    public init() { pairs = [] }

    /// Reads pairs, which will be in the order of their keys.
    /// - Throws: ``DiscoveryInfoError``.
    public init(_ values: [String: String]) throws(DiscoveryInfoError) {
        try self.init(pairs: values.map { ($0.key, $0.value) })
    }

    /// Reads pairs, of which several may have one key.
    package init(pairs values: [(key: String, value: String)]) throws(DiscoveryInfoError) {
        var pairs: [Pair] = []
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            guard Self.isAllowed(key) else { throw .key(key) }
            guard !pairs.contains(where: { Self.areEqual($0.key, key) }) else { throw .sameKey(key) }
            guard key.utf8.count + 1 + value.utf8.count <= Self.maximumStringLength else { throw .valueTooLong(key) }
            pairs.append(Pair(key: key, value: value))
        }
        self.pairs = pairs
        let count = strings.reduce(0) { $0 + 1 + $1.count }
        guard count <= Self.maximumByteCount else { throw .tooLong(byteCount: count) }
    }

    /// What others say may be more than the local peer may say: it was bounded as a whole.
    init(read pairs: [Pair]) { self.pairs = pairs }

    /// The value of a key, whatever the case of its letters.
    public subscript(key: String) -> String? { pairs.first { Self.areEqual($0.key, key) }?.value }

    /// The strings of TXT.
    package var strings: [[UInt8]] { pairs.map { Array("\($0.key)=\($0.value)".utf8) } }

    /// R23.2-2.
    static func isAllowed(_ key: some StringProtocol) -> Bool {
        let bytes = Array(key.utf8)
        guard (1...maximumKeyLength).contains(bytes.count), bytes[0] != UInt8(ascii: "_") else { return false }
        return bytes.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }

    /// Whether two keys of ASCII differ in case alone, if at all.
    static func areEqual(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        left.utf8.elementsEqual(right.utf8) { lowercase($0) == lowercase($1) }
    }

    /// The text with letters of ASCII in lowercase; others are no letters of a key.
    static func lowercase(_ text: String) -> String {
        String(decoding: text.utf8.map { lowercase($0) }, as: UTF8.self)
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension DiscoveryInfo: ExpressibleByDictionaryLiteral {
    /// Pairs that are written in the source.
    /// - Precondition: They are allowed: use ``init(_:)`` for what comes from elsewhere.
    public init(dictionaryLiteral elements: (String, String)...) {
        let values = Dictionary(elements) { first, _ in first }
        do throws(DiscoveryInfoError) {
            try self.init(values)
        } catch {
            preconditionFailure(error.description)
        }
    }
}

/// Why something cannot be said to everyone.
@nonexhaustive
public enum DiscoveryInfoError: Error, Hashable, Sendable {
    /// The key is empty, too long, begins with `_`, or has `=` or anything but ASCII in it.
    case key(String)
    /// Another key differs in case alone.
    case sameKey(String)
    /// `key=value` has more than 255 bytes.
    case valueTooLong(String)
    /// All of it has more than 400 bytes.
    case tooLong(byteCount: Int)
}

extension DiscoveryInfoError: CustomStringConvertible {
    /// Phase, reason and remedy.
    public var description: String {
        switch self {
        case .key(let key):
            "discovery info: the key “\(key)” is not allowed. Use 1 to 64 characters of ASCII without = and no _ in front"
        case .sameKey(let key): "discovery info: two keys are “\(key)” but for case. Name one of them otherwise"
        case .valueTooLong(let key): "discovery info: “\(key)” and its value exceed 255 bytes. Shorten the value"
        case .tooLong(let count): "discovery info: it has \(count) bytes, and 400 are allowed. Say less"
        }
    }
}
