import CAllocations
import MultipeerSodium
import Workloads

/// What something holds, in bytes.
struct HeldMemory {
    /// By the interposed allocator, its own headers included.
    let heap: Double
    /// Locked pages, by the pool's books.
    let locked: Double
    /// Of the process, as a check.
    let resident: Double

    var total: Double { heap + locked }
    var cells: [String] { [total, heap, locked, resident].map { ($0 / 1_024).text(1) + " KiB" } }

    /// What each of the things holds that `make` makes on this thread alone.
    static func measure<Thing>(_ peers: Peers, _ make: () throws -> [Thing]) throws -> HeldMemory {
        allocations_count_held(1)
        defer { allocations_count_held(0) }
        let before = now(peers, heap: Double(allocations_of_thread().held))
        let kept = try make()
        let after = now(peers, heap: Double(allocations_of_thread().held))
        return withExtendedLifetime(kept) { after.since(before, each: kept.count) }
    }

    /// What the process holds now, by all threads.
    static func ofProcess(_ peers: Peers) -> HeldMemory { now(peers, heap: Double(heap_of_process())) }

    private static func now(_ peers: Peers, heap: Double) -> HeldMemory {
        HeldMemory(
            heap: heap, locked: Double(peers.sodium.secrets.usage.slabs * 8_192), resident: Double(resident_bytes()))
    }

    /// What has come since, for each of `count`.
    func since(_ before: HeldMemory, each count: Int) -> HeldMemory {
        HeldMemory(
            heap: (heap - before.heap) / Double(count), locked: (locked - before.locked) / Double(count),
            resident: (resident - before.resident) / Double(count))
    }
}
