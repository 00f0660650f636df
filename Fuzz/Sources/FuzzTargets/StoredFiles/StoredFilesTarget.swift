public import FuzzSupport
import MultipeerVectors

extension FuzzTarget {
    /// Texts that lie on disk or are typed by people: identity files, known peers, keys, fingerprints, names
    /// (docs/formats.md; SPEC §4.2, §10.6, §15.5).
    ///
    /// The first byte says which text the rest is, or that a value is made from the rest, written and read.
    public static let storedFiles = FuzzTarget(
        name: "StoredFiles", maximumLength: 2_048, memory: MemoryBudget(base: 262_144, perByte: 256),
        minimumFeatures: 5_800,
        seeds: StoredFilesSeeds.make, run: { try read($0) })

    private static func read(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        switch choices.int(below: 7) {
        case 0: try IdentityFileOracle.read(choices.rest())
        case 1: try IdentityFileOracle.write(&choices)
        case 2: try KnownPeersOracle.read(choices.rest())
        case 3: try KnownPeersOracle.write(&choices)
        case 4: try TextualFormOracle.keys(choices.rest())
        case 5: try TextualFormOracle.displayName(choices.rest())
        default: try FileNameOracle.derive(choices.rest())
        }
    }
}
