public import MultipeerCrypto

/// SHA-256 over a key, for pins and for people to compare (SPEC §10.6).
///
/// For a certificate, over the DER SubjectPublicKeyInfo of the leaf, so that a renewed certificate with the same key
/// keeps its fingerprint.
public struct KeyFingerprint: Hashable, Sendable {
    /// The digest, 32 bytes.
    public let digest: Digest

    /// Wraps a digest.
    public init(digest: Digest) {
        self.digest = digest
    }
}

extension KeyFingerprint: CustomStringConvertible, LosslessStringConvertible {
    /// `sha256:` and 64 lowercase hexadecimal digits.
    public var description: String { "sha256:" + Hexadecimal.encode(digest.rawBytes) }

    /// Reads the textual form, with or without the `sha256:`, in either case; nil for anything else.
    ///
    /// A colon between every two bytes is allowed, as OpenSSL prints them.
    public init?(_ description: String) {
        var digits = Array(description.utf8)
        let prefix = Array("sha256:".utf8)
        if digits.prefix(prefix.count).map(Self.lowercase).elementsEqual(prefix) { digits.removeFirst(prefix.count) }
        if digits.count == 3 * Digest.length - 1 {
            let colons = stride(from: 2, to: digits.count, by: 3)
            guard colons.allSatisfy({ digits[$0] == UInt8(ascii: ":") }) else { return nil }
            digits = digits.indices.filter { $0 % 3 != 2 }.map { digits[$0] }
        }
        guard let bytes = Hexadecimal.decode(String(decoding: digits, as: UTF8.self)),
            let digest = try? Digest(rawBytes: bytes)
        else { return nil }
        self.digest = digest
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
