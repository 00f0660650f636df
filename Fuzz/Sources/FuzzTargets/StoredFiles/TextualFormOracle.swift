import FuzzSupport
import MultipeerCertificates
import MultipeerCrypto

/// Texts that people type: identity keys and fingerprints (SPEC §4.2, §10.6), display names (SPEC §4.2).
enum TextualFormOracle {
    static func keys(_ bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let key = IdentityKey(text)
        try requireEqual(key?.rawBytes, digits(bytes), "an identity key")
        if let key {
            try require(Array(key.description.utf8) == bytes.map(lowercase), "the canonical form of an identity key")
            try requireEqual(IdentityKey(key.description), key, "an identity key, read again")
        }
        let fingerprint = KeyFingerprint(text)
        try requireEqual(fingerprint?.digest.rawBytes, modelFingerprint(bytes), "a fingerprint")
        if let fingerprint {
            let canonical = Array(fingerprint.description.utf8)
            try require(ModelText.value(of: canonical, behind: "sha256:")?.count == 64, "a fingerprint's form")
            try requireEqual(KeyFingerprint(fingerprint.description), fingerprint, "a fingerprint, read again")
        }
    }

    static func displayName(_ bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return try require(ModelText.scalars(bytes) == nil, "well-formed UTF-8 that is no text")
        }
        let name = try? DisplayName(text)
        try requireEqual(name != nil, ModelText.isDisplayName(bytes), "whether this is a display name")
        if let name { try requireEqual(name.utf8Bytes, bytes, "the bytes of a display name") }
    }

    /// 64 hexadecimal digits of either case.
    private static func digits(_ text: [UInt8]) -> [UInt8]? {
        guard text.count == 64 else { return nil }
        return ModelText.bytes(ofLowercase: text.map(lowercase))
    }

    /// `sha256:` or nothing, and then 64 digits, or 32 pairs of digits with a colon between every two.
    private static func modelFingerprint(_ text: [UInt8]) -> [UInt8]? {
        let lowered = text.map(lowercase)
        let rest = ModelText.value(of: lowered, behind: "sha256:") ?? lowered
        if let digits = digits(rest) { return digits }
        let pairs = rest.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard pairs.count == 32, pairs.allSatisfy({ $0.count == 2 }) else { return nil }
        return digits(Array(pairs.joined()))
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }
}
