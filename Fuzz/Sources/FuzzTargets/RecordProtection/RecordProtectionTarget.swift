public import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

extension FuzzTarget {
    /// Records sealed and opened under attack, across rekeys, against the bare AEAD (SPEC §12), in both suites.
    public static let recordProtection = FuzzTarget(
        name: "RecordProtection", maximumLength: 2_048, memory: MemoryBudget(base: 1_048_576, perByte: 1_024),
        minimumFeatures: 2_600,
        seeds: RecordProtectionSeeds.make, run: { try protect($0, .real) })

    /// The same on null cryptography, whose records a fuzzer can read.
    public static let recordProtectionInsecure = FuzzTarget(
        name: "RecordProtectionInsecure", maximumLength: 2_048, memory: MemoryBudget(base: 1_048_576, perByte: 1_024),
        minimumFeatures: 2_800,
        seeds: RecordProtectionSeeds.make, run: { try protect($0, .summed) })

    /// Suite and first counter, a byte of key, then operations to the end.
    private static func protect(_ input: Span<UInt8>, _ crypto: CryptoKind) throws {
        var choices = Choices(input)
        let setting = choices.byte()
        let counter = firstCounter(setting, &choices)
        let key = [UInt8](repeating: choices.byte(), count: 32)
        var run = try ProtectionRun.make(
            setting & 1 == 0 ? .chaChaPoly : .aesGCM, crypto.provider, key: key, counter: counter)
        for _ in 0..<256 where !choices.isEmpty { try ProtectionOperation.perform(&choices, &run) }
        // Whatever was tried, the genuine records open in their order.
        while let next = run.next { try run.offer(next.record) }
        try requireEqual(run.opened, run.sealed.count, "records opened")
    }

    /// The beginning, a little before a rekey, or a little before the end of all counters.
    private static func firstCounter(_ setting: UInt8, _ choices: inout Choices) -> UInt64 {
        switch setting >> 1 & 3 {
        case 0: 0
        case 1: (UInt64(choices.byte()) + 1) * 65_536 - 1 - UInt64(setting >> 3)
        case 2: UInt64.max - UInt64(setting >> 3)
        default: choices.uint64()
        }
    }
}
