internal import CSodium
internal import MultipeerCrypto

/// A secret that is too large for a slot: an allocation of its own, guarded, locked where possible, wiped when freed.
///
/// `@unchecked Sendable`: the bytes are reached only through the owning ``Secret``.
@safe final class LockedBlock: SecretStorage, @unchecked Sendable {
    let count: Int
    private let start: UnsafeMutablePointer<UInt8>

    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    init(count: Int) throws(CryptoFailure) {
        // SAFETY: the result is checked; the memory is `count` bytes, zeroed before anyone reads it.
        guard let memory = unsafe sodium_malloc(count) else { throw .outOfSecretMemory }
        unsafe sodium_memzero(memory, count)
        unsafe start = unsafe memory.bindMemory(to: UInt8.self, capacity: count)
        self.count = count
    }

    deinit {
        // SAFETY: made by sodium_malloc, and the last reference is going.
        unsafe sodium_free(start)
    }

    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: `start` points to `count` initialised bytes that live as long as self.
        defer { extendLifetime(self) }
        return try unsafe body(UnsafeBufferPointer(start: start, count: count).span)
    }

    func withMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: as above; the caller's exclusive access to the Secret makes this the only reference.
        defer { extendLifetime(self) }
        let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: count)
        var bytes = unsafe buffer.mutableSpan
        return try body(&bytes)
    }
}
