public import FuzzSupport

extension FuzzTarget {
    /// A planted bug. Every run of the fuzzers finds it first: if it does not, nothing is instrumented, and silence about
    /// the other targets would mean nothing.
    public static let canary = FuzzTarget(
        name: "Canary", maximumLength: canaryLength, memory: MemoryBudget(base: 65_536, perByte: 64),
        seeds: { _ in [[0x00]] }, run: sing)

    private static let canaryLength = 64

    /// The first bytes need edge counters, one after the other; the number after them needs traced comparisons.
    private static func sing(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        guard choices.byte() == 0x4D, choices.byte() == 0x50 else { return }
        switch choices.uint32() {
        case 0x0BAD_CAFE: throw OracleFailure("the canary was found, as it should be")
        // Longer than what the fuzzer makes: it is to find the other one.
        case 0x0BAD_A5A0 where input.count > canaryLength: readBehindTheEnd()
        default: break
        }
    }

    /// Nothing but AddressSanitizer sees this. Without the fuzzer, where it may be missing too, the bug is not built in.
    private static func readBehindTheEnd() {
        #if LIBFUZZER
            let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 24)
            unsafe memory.initialize(repeating: 1, count: 24)
            // The fault that is planted: the byte after the last.
            unsafe print(memory[24])
            unsafe memory.deallocate()
        #endif
    }
}
