internal import MultipeerWire

/// A peer as others know it: an identity key, and a display name that proves nothing (SPEC §4.2).
///
/// Only the key counts for equality and hash. Two peers with one name are two peers, and a peer that changes its name
/// stays the same peer.
public struct PeerID: Sendable {
    /// The peer's identity key.
    public let key: IdentityKey
    /// What the peer calls itself, or nil if it shows its name to others only (SPEC §8.1).
    public let displayName: DisplayName?

    /// Creates a peer ID from a key and a name.
    public init(key: IdentityKey, displayName: DisplayName?) {
        self.key = key
        self.displayName = displayName
    }

    /// What people read: the display name, or the textual form of the key where the peer shows no name.
    public var shownName: String { displayName?.description ?? key.description }

    /// A short name: the display name, or the first 16 digits of the key where the peer shows no name.
    public var label: DisplayName { displayName ?? DisplayName(digits: String(key.description.prefix(16))) }
}

extension PeerID: Hashable {
    public static func == (left: PeerID, right: PeerID) -> Bool { left.key == right.key }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// A name for people to read: 1 to 63 bytes of UTF-8 without control characters and what cannot be seen, and not of blanks alone
/// (SPEC §4.2).
public struct DisplayName: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of UTF-8 that a name may have.
    public static let maximumLength = 63

    /// The text.
    public let description: String

    /// - Throws: ``DisplayNameError`` when the text is empty or blank, too long, or has control characters or others that cannot be seen.
    public init(_ text: String) throws(DisplayNameError) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong(byteCount: text.utf8.count) }
        guard !text.unicodeScalars.contains(where: { Utf8.isForbidden($0.value) }) else { throw .controlCharacter }
        guard text.unicodeScalars.contains(where: { !Utf8.isBlank($0.value) }) else { throw .blank }
        self.description = text
    }

    /// Some digits of a key, which are a name without a doubt.
    fileprivate init(digits: String) { description = digits }

    /// The bytes on the wire.
    public var utf8Bytes: [UInt8] { Array(description.utf8) }
}

/// Why a text is no display name.
@nonexhaustive
public enum DisplayNameError: Error, Hashable, Sendable {
    case empty
    case tooLong(byteCount: Int)
    /// It has a control character, or another one that cannot be seen.
    case controlCharacter
    /// There is nothing in it that can be seen.
    case blank
}
