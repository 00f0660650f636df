public import FuzzSupport
import MultipeerVectors

extension FuzzTarget {
    /// JSON as files of vectors and shims have it, and the files themselves (Vectors/README.md).
    ///
    /// The first byte says whether the rest is a text, or choices from which a value is made.
    public static let vectorFile = FuzzTarget(
        name: "VectorFile", maximumLength: 8_192, memory: MemoryBudget(base: 524_288, perByte: 1_024),
        minimumFeatures: 6_100,
        seeds: VectorFileSeeds.make, run: { try read($0) })

    private static func read(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        switch choices.int(below: 3) {
        case 0: try JSONOracle.read(choices.rest())
        case 1: try JSONOracle.write(JSONChoices.value(&choices, depth: 0))
        default: try VectorFileOracle.read(choices.rest())
        }
    }
}
