public import FuzzSupport
import MultipeerVectors

extension FuzzTarget {
    /// PEM text: blocks, and the certificates and keys in them (RFC 7468, docs/formats.md).
    ///
    /// The first byte says what the text is read as, or that blocks are made from the rest, written and read.
    public static let pem = FuzzTarget(
        name: "PEM", maximumLength: 8_192, memory: MemoryBudget(base: 262_144, perByte: 64), minimumFeatures: 5_600,
        seeds: PEMSeeds.make, run: { try read($0) })

    private static func read(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        switch choices.int(below: 4) {
        case 0: try PEMOracle.decode(choices.rest())
        case 1: try PEMOracle.encode(&choices)
        case 2: try CertificateTextOracle.read(choices.rest())
        default: try PrivateKeyTextOracle.read(&choices)
        }
    }
}
