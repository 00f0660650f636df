public import MultipeerCrypto

/// Signs with the public key alone: the key, and a sum over what is signed. INSECURE, and for fuzzing only.
public struct InsecureIdentity: IdentitySigner {
    public let identityKey: IdentityKey

    /// With any 32 bytes as key.
    public init(identityKey: IdentityKey) {
        self.identityKey = identityKey
    }

    public func sign(_ message: Span<UInt8>) throws(CryptoFailure) -> [UInt8] {
        InsecureSignatures.signature(of: message, by: identityKey)
    }
}

/// Checks what ``InsecureIdentity`` signs.
public struct InsecureSignatures: IdentitySignatureVerifier {
    /// Needs nothing.
    public init() {}

    public func isValid(_ signature: Span<UInt8>, of message: Span<UInt8>, by key: IdentityKey) -> Bool {
        let expected = Self.signature(of: message, by: key)
        guard signature.count == expected.count else { return false }
        return signature.indices.allSatisfy { signature[$0] == expected[$0] }
    }

    static func signature(of message: Span<UInt8>, by key: IdentityKey) -> [UInt8] {
        key.rawBytes + InsecureSum(of: message).bytes(32)
    }
}
