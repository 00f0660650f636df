import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Locked memory, SPEC §20")
struct LockedMemoryTests {
    /// A pool of its own for each test.
    private let memory: LockedMemory

    init() throws { memory = try SodiumProvider().secrets }

    @Test("A secret is zero at first, and keeps written bytes", arguments: [0, 1, 31, 32, 33, 64, 65, 256, 257, 5_000])
    func readsBack(count: Int) throws {
        var secret = try memory.makeSecret(count: count)
        #expect(secret.count == count)
        #expect(secret.copied() == [UInt8](repeating: 0, count: count))
        secret.withMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 &+ 7) }
        }
        #expect(secret.copied() == (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
    }

    @Test("A freed slot is wiped", arguments: [1, 32, 64, 208])
    func wipesOnRelease(count: Int) throws {
        let neighbour = try memory.makeSecret(copying: [UInt8](repeating: 0x5A, count: count).span)
        do {
            var secret = try memory.makeSecret(count: count)
            secret.withMutableBytes { bytes in
                for index in bytes.indices { bytes[index] = 0xFF }
            }
            #expect(memory.usage.usedSlots == 2)
        }
        #expect(memory.usage.usedSlots == 1)
        #expect(memory.usage.slabs == 1, "the slab is still there, so its free slots can be looked at")
        #expect(memory.freeSlotsAreZero)
        #expect(neighbour.copied() == [UInt8](repeating: 0x5A, count: count))
        let next = try memory.makeSecret(count: count)
        #expect(next.copied() == [UInt8](repeating: 0, count: count))
    }

    @Test("Hundreds of keys share a few locked pages")
    func slabsAreShared() throws {
        let keys = try SecretShelf(filling: 500, count: 32, from: memory)
        #expect(memory.usage.slabs == 4)
        #expect(memory.usage.usedSlots == 500)
        for index in 0..<500 {
            #expect(keys.bytes(at: index) == [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 32))
        }
    }

    @Test("Each size has slabs of its own")
    func sizesAreApart() throws {
        let small = try memory.makeSecret(count: 32)
        let medium = try memory.makeSecret(count: 33)
        let large = try memory.makeSecret(count: 65)
        let own = try memory.makeSecret(count: 257)
        #expect(memory.usage.slabs == 3)
        #expect(memory.usage.usedSlots == 3)
        #expect(small.count + medium.count + large.count + own.count == 387)
    }

    @Test("Empty slabs are returned to the system, all but one")
    func emptySlabsAreFreed() throws {
        do {
            let keys = try SecretShelf(filling: 1_000, count: 32, from: memory)
            #expect(memory.usage.slabs == 8)
            #expect(keys.count == 1_000, "and they live until here")
        }
        #expect(memory.usage.slabs == 1)
        #expect(memory.usage.usedSlots == 0)
        #expect(memory.freeSlotsAreZero)
    }

    @Test("Many tasks allocate, check and release at once")
    func concurrentUse() async throws {
        let memory = memory
        let faults = await withTaskGroup(of: Int.self) { group in
            for task in 0..<16 {
                group.addTask { Self.churn(memory, seed: UInt64(task)) }
            }
            return await group.reduce(0, +)
        }
        #expect(faults == 0)
        #expect(memory.usage.usedSlots == 0)
        #expect(memory.usage.slabs <= 3)
        #expect(memory.freeSlotsAreZero)
    }

    /// Holds up to 40 secrets of changing sizes and counts those that are not as written.
    private static func churn(_ memory: LockedMemory, seed: UInt64) -> Int {
        var random = SeededRandomSource(seed: seed)
        var faults = 0
        for round in 0..<60 {
            let count = [16, 32, 64, 200][Int(random.next() % 4)]
            let mark = UInt8(truncatingIfNeeded: random.next()) | 1
            do {
                let keys = try SecretShelf(filling: 1 + round % 40, count: count, from: memory) { _ in mark }
                for index in 0..<keys.count where keys.bytes(at: index) != [UInt8](repeating: mark, count: count) {
                    faults += 1
                }
            } catch { faults += 1 }
        }
        return faults
    }
}

/// Keeps many secrets alive. An object each, because arrays hold copyable values only.
private struct SecretShelf {
    private final class Holder {
        let secret: Secret
        init(_ secret: consuming Secret) { self.secret = secret }
    }

    private var holders: [Holder] = []

    init(
        filling number: Int, count: Int, from memory: LockedMemory,
        with byte: (Int) -> UInt8 = { UInt8(truncatingIfNeeded: $0) }
    ) throws {
        for index in 0..<number {
            var secret = try memory.makeSecret(count: count)
            // What was not zero at first shows as a wrong byte.
            secret.withMutableBytes { bytes in
                for position in bytes.indices { bytes[position] ^= byte(index) }
            }
            holders.append(Holder(secret))
        }
    }

    var count: Int { holders.count }
    func bytes(at index: Int) -> [UInt8] { holders[index].secret.copied() }
}
