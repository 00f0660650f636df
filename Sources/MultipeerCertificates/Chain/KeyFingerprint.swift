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

    /// Reads the textual form, with or without the `sha256:`; colons between bytes are allowed, as OpenSSL prints them.
    public init?(_ description: String) {
        let prefix = "sha256:"
        let lowered = description.lowercased()
        let digits = (lowered.hasPrefix(prefix) ? lowered.dropFirst(prefix.count) : lowered[...]).filter { $0 != ":" }
        guard let bytes = Hexadecimal.decode(String(digits)), let digest = try? Digest(rawBytes: bytes) else {
            return nil
        }
        self.digest = digest
    }
}
