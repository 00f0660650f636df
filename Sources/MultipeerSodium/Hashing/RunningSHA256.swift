internal import CSodium
internal import MultipeerCrypto

/// The state of a SHA-256 over public bytes.
struct RunningSHA256 {
    private var state = crypto_hash_sha256_state()

    init() {
        // SAFETY: initialises the state it is given. Always returns 0.
        _ = unsafe crypto_hash_sha256_init(&state)
    }

    mutating func update(_ bytes: Span<UInt8>) {
        // SAFETY: reads `count` bytes. Always returns 0.
        _ = unsafe bytes.withAddress { unsafe crypto_hash_sha256_update(&state, $0, UInt64(bytes.count)) }
    }

    /// The digest; the state starts anew.
    mutating func finish() -> Digest {
        var bytes = [UInt8](repeating: 0, count: Digest.length)
        // SAFETY: writes 32 bytes. Always returns 0.
        _ = unsafe crypto_hash_sha256_final(&state, &bytes)
        self = RunningSHA256()
        return Digest(exactly: bytes)
    }
}
