internal import CSodium
public import MultipeerCrypto
internal import Synchronization

/// Locked memory for secrets, shared out in small slots.
///
/// `sodium_malloc` locks whole pages between guard pages; one call a key would cost each link several locked pages and
/// soon meet RLIMIT_MEMLOCK. So one call makes a *slab*, which is carved into slots of 32, 64 or 256 bytes: a slab is
/// one locked page of 4 KiB (plus one for libsodium's own bookkeeping) and holds 127, 63 or 15 secrets.
///
/// - Every slot that is not in use is zero: slabs are cleared when made, slots when given back.
/// - Slabs without a used slot are returned to the system, all but one of each size.
/// - A secret of more than 256 bytes has an allocation of its own.
/// - Locking is a request: where the system's limit is reached libsodium continues with unlocked, still guarded and
///   wiped pages. ``usage`` reports it.
public final class LockedMemory: SecretAllocator {
    private let pools: Mutex<Pools>

    init() {
        pools = Mutex(Pools())
    }

    deinit {
        // Every slot keeps its memory alive, so that all slabs are empty by now.
        pools.withLock { $0.freeAll() }
    }

    /// Returns `count` zero bytes.
    /// - Throws: `CryptoFailure.outOfSecretMemory`.
    public func makeSecret(count: Int) throws(CryptoFailure) -> Secret {
        guard let size = SlotSize(holding: count) else { return Secret(owning: try LockedBlock(count: count)) }
        return Secret(owning: try makeSlot(size: size, count: count))
    }

    /// How much of the pool is in use.
    public var usage: Usage {
        pools.withLock { $0.usage }
    }

    /// Whether all bytes of unused slots are zero. This always holds; tests check it.
    package var freeSlotsAreZero: Bool {
        pools.withLock { $0.freeSlotsAreZero }
    }

    /// A slot for our own code, which hands its address to C.
    func makeSlot(size: SlotSize, count: Int) throws(CryptoFailure) -> LockedSlot {
        guard let reservation = pools.withLock({ $0.reserve(size) }) else { throw .outOfSecretMemory }
        return LockedSlot(reservation, count: count, of: self)
    }

    /// Takes a slot back, wiped.
    fileprivate func release(_ slot: SlotReservation) {
        // Before the slot is free for others.
        // SAFETY: the slot lies in a living slab and its only owner is giving it up.
        unsafe sodium_memzero(slot.start, slot.size.rawValue)
        pools.withLock { $0.release(slot) }
    }
}

extension LockedMemory {
    /// A count of slabs and slots.
    public struct Usage: Equatable, Sendable {
        /// Slabs held from the system, each one locked page of 4 KiB.
        public internal(set) var slabs: Int
        /// Slots that hold a secret.
        public internal(set) var usedSlots: Int
        /// Slabs that the system refused to lock: their secrets may reach the swap space.
        public internal(set) var unlockedSlabs: Int
    }
}

/// A slot of a ``LockedMemory``. Wiped and given back when the last reference goes.
///
/// `@unchecked Sendable`: the bytes are reached only through the owning ``Secret`` (or one AEAD key), which is the
/// slot's single owner and asks for mutability to write.
@safe final class LockedSlot: SecretStorage, @unchecked Sendable {
    let count: Int
    private let reservation: SlotReservation
    private let memory: LockedMemory

    fileprivate init(_ reservation: SlotReservation, count: Int, of memory: LockedMemory) {
        self.reservation = reservation
        self.count = count
        self.memory = memory
    }

    deinit {
        memory.release(reservation)
    }

    /// Lends the address of the bytes to C; this object lives until the call returns.
    func withAddress<Result>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result {
        defer { extendLifetime(self) }
        // SAFETY: `start` points to at least `count` initialised bytes that live as long as self.
        return unsafe body(reservation.start)
    }

    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(self) }
        // SAFETY: as above.
        return try unsafe body(UnsafeBufferPointer(start: reservation.start, count: count).span)
    }

    func withMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(self) }
        // SAFETY: as above; the caller's exclusive access to the Secret makes this the only reference.
        let buffer = unsafe UnsafeMutableBufferPointer(start: reservation.start, count: count)
        var bytes = unsafe buffer.mutableSpan
        return try body(&bytes)
    }
}
