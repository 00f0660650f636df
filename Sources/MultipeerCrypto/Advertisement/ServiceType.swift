/// What peers that look for each other agree on: a service label (SPEC §23.1, RFC 6335 §5.1).
public struct ServiceType: Hashable, Sendable {
    /// The most characters of a label.
    public static let maximumLength = 15
    /// The service of the tool `multipeer`.
    public static let multipeer = ServiceType(checked: "multipeer")

    /// The label, such as `chat`: 1–15 of `a`–`z`, `0`–`9` and hyphen.
    public let label: String

    /// - Throws: ``ServiceTypeError``.
    public init(_ label: String) throws(ServiceTypeError) {
        let bytes = Array(label.utf8)
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || $0 == Self.hyphen }) else {
            throw .forbiddenCharacter
        }
        guard bytes.count <= Self.maximumLength else { throw .tooLong(byteCount: bytes.count) }
        guard bytes.contains(where: Self.isLetter) else { throw .noLetter }
        guard bytes.first != Self.hyphen, bytes.last != Self.hyphen else { throw .hyphenAtEdge }
        guard !zip(bytes, bytes.dropFirst()).contains(where: { $0 == Self.hyphen && $1 == Self.hyphen }) else {
            throw .twoHyphens
        }
        self.label = label
    }

    private init(checked label: String) { self.label = label }

    /// Reads a label as apps write it: of letters the case does not count (RFC 6335 §5.1), and peers meet under lower case.
    /// - Throws: ``ServiceTypeError``.
    package init(ignoringCaseOf label: String) throws(ServiceTypeError) {
        // Of ASCII alone: the Kelvin sign is no K.
        try self.init(DiscoveryInfo.lowercase(label))
    }

    /// The type as DNS-SD writes it, such as `_chat._tcp`.
    public var dnsName: String { "_\(label)._tcp" }

    private static let hyphen = UInt8(ascii: "-")

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension ServiceType: CustomStringConvertible {
    /// The label.
    public var description: String { label }
}

/// Why a text is no service label.
@nonexhaustive
public enum ServiceTypeError: Error, Hashable, Sendable {
    case empty
    /// More than 15 characters.
    case tooLong(byteCount: Int)
    /// Something other than `a`–`z`, `0`–`9` and hyphen.
    case forbiddenCharacter
    /// Digits and hyphens only.
    case noLetter
    case hyphenAtEdge
    case twoHyphens
}

extension ServiceTypeError: CustomStringConvertible {
    /// Phase, reason and remedy.
    public var description: String {
        let reason =
            switch self {
            case .empty: "it is empty"
            case .tooLong(let count): "it has \(count) characters"
            case .forbiddenCharacter: "it has other characters"
            case .noLetter: "it has no letter"
            case .hyphenAtEdge: "a hyphen is at its edge"
            case .twoHyphens: "two hyphens follow each other"
            }
        return "service: \(reason). Choose 1 to 15 of a–z, 0–9 and single hyphens inside, with at least one letter"
    }
}
