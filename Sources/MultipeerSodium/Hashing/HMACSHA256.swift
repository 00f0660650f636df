internal import CSodium
package import MultipeerCrypto

/// HMAC-SHA256 (RFC 2104). Its running state, from which the key could be attacked, lives in locked memory.
package struct HMACSHA256 {
    private let secrets: LockedMemory

    package init(secrets: LockedMemory) {
        self.secrets = secrets
    }

    /// The 32-byte tag of `first` ‖ `second`, in guarded memory, because Noise derives keys this way.
    package func authenticate(
        _ first: Span<UInt8>, _ second: Span<UInt8>, key: Span<UInt8>
    ) throws(CryptoFailure) -> Secret {
        let state = try RunningHMAC(key: key, secrets: secrets)
        state.update(first)
        state.update(second)
        return try state.finish(secrets: secrets)
    }
}

/// One computation, consumed by its end.
private struct RunningHMAC: ~Copyable {
    private let slot: LockedSlot

    init(key: Span<UInt8>, secrets: LockedMemory) throws(CryptoFailure) {
        let size = MemoryLayout<crypto_auth_hmacsha256_state>.size
        guard let slotSize = SlotSize(holding: size) else { throw .outOfSecretMemory }
        slot = try secrets.makeSlot(size: slotSize, count: size)
        unsafe withState { state in
            // SAFETY: reads `count` bytes of key, any number of them. Always returns 0.
            _ = unsafe key.withAddress { unsafe crypto_auth_hmacsha256_init(state, $0, key.count) }
        }
    }

    borrowing func update(_ bytes: Span<UInt8>) {
        unsafe withState { state in
            // SAFETY: reads `count` bytes. Always returns 0.
            _ = unsafe bytes.withAddress { unsafe crypto_auth_hmacsha256_update(state, $0, UInt64(bytes.count)) }
        }
    }

    consuming func finish(secrets: LockedMemory) throws(CryptoFailure) -> Secret {
        let tag = try secrets.makeSlot(size: .small, count: Digest.length)
        unsafe withState { state in
            // SAFETY: writes 32 bytes, the size of the slot. Always returns 0.
            _ = unsafe tag.withAddress { unsafe crypto_auth_hmacsha256_final(state, $0) }
        }
        return Secret(owning: tag)
    }

    private borrowing func withState(_ body: (UnsafeMutablePointer<crypto_auth_hmacsha256_state>) -> Void) {
        // SAFETY: the slot is large enough (`init`) and aligned: slots of 256 bytes end at a page boundary.
        unsafe slot.withAddress { start in
            unsafe body(UnsafeMutableRawPointer(start).assumingMemoryBound(to: crypto_auth_hmacsha256_state.self))
        }
    }
}
