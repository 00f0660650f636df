internal import CSodium

/// The sizes that locked memory is carved into.
enum SlotSize: Int, CaseIterable {
    /// Keys and hash outputs.
    case small = 32
    /// An Ed25519 private key with its public half.
    case medium = 64
    /// The state of a running HMAC.
    case large = 256

    /// The smallest size that holds `count` bytes; nil when none does.
    init?(holding count: Int) {
        guard let size = Self.allCases.first(where: { $0.rawValue >= count }) else { return nil }
        self = size
    }

    /// How many slots make a slab: what fits in 4,096 bytes beside the 16-byte canary of `sodium_malloc`.
    var slotsPerSlab: Int { (4096 - 16) / rawValue }
}

/// One allocation of `sodium_malloc`, carved into slots of one size.
///
/// Copies share the memory: a slab belongs to the one array in ``Pools`` that holds it, which calls ``free()``.
@safe struct Slab {
    let size: SlotSize
    /// Whether the system keeps the page out of the swap space.
    let isLocked: Bool
    private let base: UnsafeMutablePointer<UInt8>
    /// Bit i is set while slot i is in use.
    private var used: UInt128 = 0

    /// Nil when the system gives no memory.
    init?(size: SlotSize) {
        let byteCount = size.rawValue * size.slotsPerSlab
        // SAFETY: the result is checked; the memory is `byteCount` bytes, zeroed before anyone reads it.
        guard let memory = unsafe sodium_malloc(byteCount) else { return nil }
        unsafe sodium_memzero(memory, byteCount)
        // sodium_malloc has locked it already but does not say whether it could; asking again does no harm.
        isLocked = unsafe sodium_mlock(memory, byteCount) == 0
        unsafe base = unsafe memory.bindMemory(to: UInt8.self, capacity: byteCount)
        self.size = size
    }

    var usedCount: Int { used.nonzeroBitCount }
    var isFull: Bool { usedCount == size.slotsPerSlab }
    var isEmpty: Bool { used == 0 }

    /// Marks the first free slot as used; nil when there is none.
    mutating func reserve() -> SlotReservation? {
        guard !isFull else { return nil }
        let index = (~used).trailingZeroBitCount
        used |= 1 << UInt128(index)
        return reservation(at: index)
    }

    /// Marks a slot of this slab as free; false when it belongs to another slab.
    mutating func release(_ slot: SlotReservation) -> Bool {
        // SAFETY: compares addresses, reads nothing.
        guard unsafe slot.slabBase == base else { return false }
        used &= ~(1 << UInt128(slot.index))
        return true
    }

    /// Whether all bytes of the slots that are not in use are zero.
    var freeSlotsAreZero: Bool {
        (0..<size.slotsPerSlab).allSatisfy { index in
            guard used & (1 << UInt128(index)) == 0 else { return true }
            // SAFETY: reads one slot of this slab.
            return unsafe sodium_is_zero(reservation(at: index).start, size.rawValue) == 1
        }
    }

    /// Returns the memory to the system, which also wipes it.
    consuming func free() {
        // SAFETY: the slab is empty, so nobody holds a slot of it, and its owner has just removed it.
        unsafe sodium_free(base)
    }

    private func reservation(at index: Int) -> SlotReservation {
        // SAFETY: `base` is the start of `slotsPerSlab` slots.
        unsafe SlotReservation(size: size, slabBase: base, index: index)
    }
}

/// The place of one slot.
///
/// `@unchecked Sendable`: an address. Its holder is the one owner of the bytes until it gives the slot back.
@safe struct SlotReservation: @unchecked Sendable {
    let size: SlotSize
    @unsafe let slabBase: UnsafeMutablePointer<UInt8>
    let index: Int

    /// The first of `size.rawValue` bytes.
    @unsafe var start: UnsafeMutablePointer<UInt8> {
        // SAFETY: `index` is less than the slab's number of slots.
        unsafe slabBase + index * size.rawValue
    }
}

/// All slabs of a ``LockedMemory``, guarded by its lock.
struct Pools {
    private var slabs: [Slab] = []

    var usage: LockedMemory.Usage {
        let none = LockedMemory.Usage(slabs: slabs.count, usedSlots: 0, unlockedSlabs: 0)
        return slabs.reduce(into: none) { usage, slab in
            usage.usedSlots += slab.usedCount
            usage.unlockedSlabs += slab.isLocked ? 0 : 1
        }
    }

    /// A free slot of `size`, in a new slab where all are full; nil when the system gives no memory.
    mutating func reserve(_ size: SlotSize) -> SlotReservation? {
        for index in slabs.indices where slabs[index].size == size {
            if let slot = slabs[index].reserve() { return slot }
        }
        guard var slab = Slab(size: size) else { return nil }
        let slot = slab.reserve()
        slabs.append(slab)
        return slot
    }

    /// Takes back a wiped slot. Returns its slab to the system when another empty one of the size is at hand.
    mutating func release(_ slot: SlotReservation) {
        for index in slabs.indices where slabs[index].release(slot) {
            let size = slot.size
            let spare = slabs.indices.contains { $0 != index && slabs[$0].size == size && slabs[$0].isEmpty }
            if slabs[index].isEmpty && spare { slabs.remove(at: index).free() }
            return
        }
    }

    var freeSlotsAreZero: Bool { slabs.allSatisfy(\.freeSlotsAreZero) }

    /// Returns every slab to the system.
    mutating func freeAll() {
        for slab in slabs { slab.free() }
        slabs = []
    }
}
