public import MultipeerWire

/// Which session it is: the hash of the session's charter, 32 bytes (SPEC §4.3).
///
/// The charter holds the founder's identity key, so two sessions of different founders never have one identifier.
public struct SessionID: Hashable, Sendable {
    /// The length in bytes.
    public static let length = 32

    /// Exactly 32 bytes.
    public let rawBytes: [UInt8]

    /// An identifier as it was written down; nil for any other length than 32 bytes.
    public init?(rawBytes: [UInt8]) {
        guard rawBytes.count == Self.length else { return nil }
        self.rawBytes = rawBytes
    }

    /// The identifier of the session with this charter.
    public init(_ charter: Charter, hashing: any Hashing) {
        let label = Array("multipeer/1 session".utf8) + [0]
        rawBytes = hashing.hash(label.span, charter.encoded.span).rawBytes
    }
}

extension SessionID: Comparable {
    /// Compares the bytes as unsigned numbers, first byte first (SPEC §4.3).
    public static func < (left: SessionID, right: SessionID) -> Bool {
        left.rawBytes.lexicographicallyPrecedes(right.rawBytes)
    }
}

extension SessionID: CustomStringConvertible {
    /// 64 lowercase hexadecimal digits: the textual form of SPEC §4.3.
    public var description: String { Hexadecimal.encode(rawBytes) }
}
