extension SecretAllocator {
    /// Guarded memory with a copy of `bytes`.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    public func makeSecret(copying bytes: Span<UInt8>) throws(CryptoFailure) -> Secret {
        var secret = try makeSecret(count: bytes.count)
        secret.withMutableBytes { copy in
            for index in bytes.indices { copy[index] = bytes[index] }
        }
        return secret
    }
}
