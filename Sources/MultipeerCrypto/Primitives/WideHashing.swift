/// SHA-512 over bytes of which some are secret (SPEC §25.5).
public protocol WideHashing: Sendable {
    /// SHA-512 of `first` ‖ `secret` ‖ `last`, 64 bytes in guarded memory. So is everything that the secret passes through.
    func hash(
        _ first: Span<UInt8>, _ secret: borrowing Secret, _ last: Span<UInt8>
    ) throws(CryptoFailure) -> Secret
}
