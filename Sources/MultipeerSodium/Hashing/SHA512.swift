internal import CSodium
public import MultipeerCrypto

/// SHA-512 (FIPS 180-4) with its state in locked memory.
public struct SHA512: WideHashing {
    private let secrets: LockedMemory

    init(secrets: LockedMemory) {
        self.secrets = secrets
    }

    public func hash(
        _ first: Span<UInt8>, _ secret: borrowing Secret, _ last: Span<UInt8>
    ) throws(CryptoFailure) -> Secret {
        let state = try RunningSHA512(secrets: secrets)
        state.update(first)
        secret.withBytes { state.update($0) }
        state.update(last)
        return try state.finish(secrets: secrets)
    }
}

/// One computation, consumed by its end.
private struct RunningSHA512: ~Copyable {
    private let slot: LockedSlot

    init(secrets: LockedMemory) throws(CryptoFailure) {
        let size = MemoryLayout<crypto_hash_sha512_state>.size
        guard let slotSize = SlotSize(holding: size) else { throw .outOfSecretMemory }
        slot = try secrets.makeSlot(size: slotSize, count: size)
        // SAFETY: initialises the state it is given. Always returns 0.
        unsafe withState { _ = unsafe crypto_hash_sha512_init($0) }
    }

    borrowing func update(_ bytes: Span<UInt8>) {
        unsafe withState { state in
            // SAFETY: reads `count` bytes. Always returns 0.
            _ = unsafe bytes.withAddress { unsafe crypto_hash_sha512_update(state, $0, UInt64(bytes.count)) }
        }
    }

    consuming func finish(secrets: LockedMemory) throws(CryptoFailure) -> Secret {
        let digest = try secrets.makeSlot(size: .medium, count: 64)
        unsafe withState { state in
            // SAFETY: writes 64 bytes, the size of the slot. Always returns 0.
            _ = unsafe digest.withAddress { unsafe crypto_hash_sha512_final(state, $0) }
        }
        return Secret(owning: digest)
    }

    private borrowing func withState(_ body: (UnsafeMutablePointer<crypto_hash_sha512_state>) -> Void) {
        // SAFETY: the slot is large enough (`init`) and aligned: slots of 256 bytes end at a page boundary.
        unsafe slot.withAddress { start in
            unsafe body(UnsafeMutableRawPointer(start).assumingMemoryBound(to: crypto_hash_sha512_state.self))
        }
    }
}
