/// A peer's identity: an Ed25519 public key, 32 bytes (SPEC §4.2). Never a name, never an address.
public struct IdentityKey: Hashable, Sendable {
    /// The length in bytes.
    public static let length = 32

    /// Exactly 32 bytes, as RFC 8032 encodes a public key.
    public let rawBytes: [UInt8]

    /// - Throws: ``CryptoFailure/malformedKey`` unless there are 32 bytes.
    public init(rawBytes: [UInt8]) throws(CryptoFailure) {
        guard rawBytes.count == Self.length else { throw .malformedKey }
        self.rawBytes = rawBytes
    }
}

extension IdentityKey: Comparable {
    /// Compares the wire bytes as unsigned integers, first byte first: the order of tie-breaks (SPEC §4.3).
    public static func < (left: IdentityKey, right: IdentityKey) -> Bool {
        left.rawBytes.lexicographicallyPrecedes(right.rawBytes)
    }
}

extension IdentityKey: CustomStringConvertible, LosslessStringConvertible {
    /// 64 lowercase hexadecimal digits: the textual form of SPEC §4.2.
    public var description: String { Hexadecimal.encode(rawBytes) }

    /// Reads the textual form; nil unless it is exactly 64 hexadecimal digits.
    public init?(_ description: String) {
        guard let bytes = Hexadecimal.decode(description), bytes.count == Self.length else { return nil }
        self.rawBytes = bytes
    }
}
