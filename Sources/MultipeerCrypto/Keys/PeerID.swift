/// A peer as others know it: an identity key, and a display name that proves nothing (SPEC §4.2).
///
/// Equality and hash are the key's alone: two peers with one name are two peers, one peer that renames itself is one.
public struct PeerID: Sendable {
    /// Who the peer is.
    public let key: IdentityKey
    /// What the peer calls itself.
    public let displayName: DisplayName

    /// Joins a key and a name.
    public init(key: IdentityKey, displayName: DisplayName) {
        self.key = key
        self.displayName = displayName
    }
}

extension PeerID: Hashable {
    public static func == (left: PeerID, right: PeerID) -> Bool { left.key == right.key }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// A name for people to read: 1 to 63 bytes of UTF-8 without control characters (SPEC §4.2).
public struct DisplayName: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of UTF-8 that a name may have.
    public static let maximumLength = 63

    /// The text.
    public let description: String

    /// - Throws: ``DisplayNameError`` when the text is empty, too long, or has control characters.
    public init(_ text: String) throws(DisplayNameError) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong(byteCount: text.utf8.count) }
        guard !text.unicodeScalars.contains(where: Self.isForbidden) else { throw .controlCharacter }
        self.description = text
    }

    /// The bytes on the wire.
    public var utf8Bytes: [UInt8] { Array(description.utf8) }

    /// C0, DEL and C1 controls, line and paragraph separators, and the bidirectional overrides that disguise a name.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// Why a text is no display name.
public enum DisplayNameError: Error, Equatable, Sendable {
    case empty
    case tooLong(byteCount: Int)
    case controlCharacter
}
