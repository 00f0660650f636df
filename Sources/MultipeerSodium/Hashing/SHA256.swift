internal import CSodium
public import MultipeerCrypto

/// SHA-256 (FIPS 180-4) and Noise's HKDF over HMAC-SHA256.
public struct SHA256: Hashing {
    private let secrets: LockedMemory

    init(secrets: LockedMemory) {
        self.secrets = secrets
    }

    public func hash(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Digest {
        var state = RunningSHA256()
        state.update(first)
        state.update(second)
        return state.finish()
    }

    /// `HKDF(chaining_key, input_key_material, 2)` of Noise §4.3.
    ///
    /// > temp_key = HMAC-HASH(chaining_key, input_key_material),
    /// > output1 = HMAC-HASH(temp_key, byte(0x01)),
    /// > output2 = HMAC-HASH(temp_key, output1 || byte(0x02))
    public func deriveKeys(
        chainingKey: borrowing Secret, inputKeyMaterial: Span<UInt8>
    ) throws(CryptoFailure) -> DerivedKeyPair {
        let hmac = HMACSHA256(secrets: secrets)
        let (nothing, one, two): ([UInt8], [UInt8], [UInt8]) = ([], [0x01], [0x02])
        let temporaryKey = try chainingKey.withBytes { (key) throws(CryptoFailure) in
            try hmac.authenticate(inputKeyMaterial, nothing.span, key: key)
        }
        let first = try temporaryKey.withBytes { (key) throws(CryptoFailure) in
            try hmac.authenticate(one.span, nothing.span, key: key)
        }
        let second = try temporaryKey.withBytes { (key) throws(CryptoFailure) in
            try first.withBytes { (first) throws(CryptoFailure) in
                try hmac.authenticate(first, two.span, key: key)
            }
        }
        return DerivedKeyPair(first: first, second: second)
    }

    /// `HKDF(ck, zerolen, 3)` of Noise §4.3.
    ///
    /// > output3 = HMAC-HASH(temp_key, output2 || byte(0x03))
    public func deriveSplitKeys(chainingKey: borrowing Secret) throws(CryptoFailure) -> SplitKeys {
        let (nothing, one, two, three): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [0x01], [0x02], [0x03])
        let temporaryKey = try authenticate(nothing.span, nothing.span, key: chainingKey)
        let first = try authenticate(one.span, nothing.span, key: temporaryKey)
        let second = try first.withBytes { (first) throws(CryptoFailure) in
            try authenticate(first, two.span, key: temporaryKey)
        }
        let third = try second.withBytes { (second) throws(CryptoFailure) in
            try authenticate(second, three.span, key: temporaryKey)
        }
        return SplitKeys(initiator: first, responder: second, exporterMaterial: third)
    }

    public func authenticate(
        _ first: Span<UInt8>, _ second: Span<UInt8>, key: borrowing Secret
    ) throws(CryptoFailure) -> Secret {
        let hmac = HMACSHA256(secrets: secrets)
        return try key.withBytes { (key) throws(CryptoFailure) in try hmac.authenticate(first, second, key: key) }
    }
}
