/// Known signatures that tell whether a library verifies Ed25519 as SPEC §9.6 asks. Libraries differ here, and some have
/// changed (R9.6-3).
public enum Ed25519Strictness {
    /// A signature of ``message``.
    private struct Sample {
        let key: [UInt8]
        let signature: [UInt8]
    }

    /// Whether `verifier` accepts a sound signature, and refuses one of each kind that R9.6-1 forbids although its equation
    /// holds.
    public static func isStrict(_ verifier: some IdentitySignatureVerifier) -> Bool {
        isValid(sound, verifier) && !forbidden.contains { isValid($0, verifier) }
    }

    private static func isValid(_ sample: Sample, _ verifier: some IdentitySignatureVerifier) -> Bool {
        guard let key = try? IdentityKey(rawBytes: sample.key) else { return false }
        return verifier.isValid(sample.signature.span, of: message.span, by: key)
    }

    private static let message = Array("multipeer/1 strictness".utf8)
    private static let key = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
    /// The neutral element, and another encoding of it: y = 2^255 − 18.
    private static let neutral = "0100000000000000000000000000000000000000000000000000000000000000"
    private static let neutralAgain = "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"
    private static let point = "7767a3242dc9b58bbc68488c1265cc6cc5f26c6f3c88a5d55e901b0734dca572"

    private static let sound = sample(
        key, "954c4299189f40f8b882a5c8b0417e55d6de42de059fd87cd1537f67f68cc9e3",
        "e6b41f879a8e7920311365b0cd3c33514ff419a75c30c723dd788d2024861609")

    private static let forbidden = [
        // S is not below the order of the group.
        sample(
            key, "954c4299189f40f8b882a5c8b0417e55d6de42de059fd87cd1537f67f68cc9e3",
            "d38815e4b4f18b7807b05c53ac3612664ff419a75c30c723dd788d2024861619"),
        // A is of small order.
        sample(neutral, point, "d20a1feb8ca954ab000000000000000000000000000000000000000000000000"),
        // A is not canonical.
        sample(neutralAgain, point, "d20a1feb8ca954ab000000000000000000000000000000000000000000000000"),
        // R is of small order.
        sample(key, neutral, "502937876d2b29e17e1d2674d35d6bdd057d33c082f78a8483eeb228aae33b0b"),
        // R is not canonical.
        sample(key, neutralAgain, "7a9a5a9480f56d7e3ddd1aea69089962bb8b08689b90e4fd44c179e1fd58fe0b"),
    ]

    private static func sample(_ key: String, _ point: String, _ scalar: String) -> Sample {
        Sample(key: Hexadecimal.decode(key) ?? [], signature: Hexadecimal.decode(point + scalar) ?? [])
    }
}
