internal import MultipeerWire

/// A short tag of an identity key, as advertisements carry it (SPEC §23.2). It distinguishes peers before a handshake,
/// and proves nothing.
public struct KeyTag: Hashable, Sendable {
    /// The length in bytes.
    public static let length = 8

    /// Exactly 8 bytes.
    public let rawBytes: [UInt8]

    /// The tag of a key.
    public init(of key: IdentityKey, hashing: any Hashing) {
        let label = Array("multipeer/1 advertisement".utf8)
        let digest = hashing.hash(label.span, key.rawBytes.span)
        rawBytes = Array(digest.rawBytes.prefix(Self.length))
    }

    /// Random bytes, for private advertisements (SPEC §23.3).
    public init(random: inout any RandomSource) { rawBytes = random.bytes(Self.length) }
}

extension KeyTag: CustomStringConvertible, LosslessStringConvertible {
    /// 16 lowercase hexadecimal digits.
    public var description: String { Hexadecimal.encode(rawBytes) }

    /// Reads 16 lowercase hexadecimal digits; nil for another text.
    public init?(_ description: String) {
        guard let bytes = Hexadecimal.decode(description), bytes.count == Self.length,
            Hexadecimal.encode(bytes) == description
        else { return nil }
        rawBytes = bytes
    }
}
