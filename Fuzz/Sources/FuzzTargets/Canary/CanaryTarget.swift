public import FuzzSupport

extension FuzzTarget {
    /// A planted bug. Every run of the fuzzers finds it first: if it does not, nothing is instrumented, and silence about
    /// the other targets would mean nothing.
    public static let canary = FuzzTarget(
        name: "Canary", maximumLength: 64, memory: MemoryBudget(base: 65_536, perByte: 64),
        seeds: { _ in [[0x00]] }, run: sing)

    /// The first bytes need edge counters, one after the other; the number behind them needs traced comparisons.
    private static func sing(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        guard choices.byte() == 0x4D, choices.byte() == 0x50 else { return }
        guard choices.uint32() == 0x0BAD_CAFE else { return }
        throw OracleFailure("the canary was found, as it should be")
    }
}
