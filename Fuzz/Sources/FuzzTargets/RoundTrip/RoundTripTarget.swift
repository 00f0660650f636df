public import FuzzSupport
import MultipeerVectors
import MultipeerWire

extension FuzzTarget {
    /// Values first: frames and hellos are built, inside and outside of the limits of SPEC.md, written and read. What SPEC.md
    /// allows comes back equal; the rest is refused.
    public static let roundTrip = FuzzTarget(
        name: "RoundTrip", maximumLength: 2_048, memory: MemoryBudget(base: 1_048_576, perByte: 256),
        minimumFeatures: 7_300,
        seeds: { _ in RoundTripSeeds.make() }, run: { try build($0) })

    private static func build(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        while !choices.isEmpty {
            switch choices.int(below: 35) {
            case 0: try BuiltFrames.close(&choices)
            case 1: try BuiltFrames.proof(&choices)
            case 2: try BuiltFrames.peerInfo(&choices)
            case 3: try BuiltFrames.invite(&choices)
            case 4: try BuiltFrames.accept(&choices)
            case 5: try BuiltFrames.decline(&choices)
            case 6: try BuiltFrames.cancel(&choices)
            case 7: try BuiltFrames.certificates(&choices)
            case 8: try BuiltFrames.ready(&choices)
            case 9: try BuiltFileFrames.offer(&choices)
            case 10: try BuiltFileFrames.accept(&choices)
            case 11: try BuiltFileFrames.done(&choices)
            case 12: try BuiltFileFrames.end(&choices)
            case 13: try BuiltFileFrames.cancel(&choices)
            case 14: try BuiltHellos.initiator(&choices)
            case 15: try BuiltHellos.responder(&choices)
            case 16: try BuiltHellos.refusal(&choices)
            case 17: try Fragments.message(&choices)
            case 18: try Fragments.file(&choices)
            case 19: try BuiltFrames.rekey(&choices)
            case 20: try Registries.names(&choices)
            case 21: try BuiltAssociationFrames.credit(&choices)
            case 22: try BuiltAssociationFrames.pingOrAck(&choices)
            case 23: try BuiltAssociationFrames.streamOpen(&choices)
            case 24: try BuiltAssociationFrames.streamEnd(&choices)
            case 25: try BuiltAssociationFrames.resetOrStop(&choices)
            case 26: try Fragments.stream(&choices)
            case 27: try BuiltSessionFrames.admit(&choices)
            case 28: try BuiltSessionFrames.digest(&choices)
            case 29: try BuiltSessionFrames.summary(&choices)
            case 30: try BuiltSessionFrames.want(&choices)
            case 31: try BuiltSessionFrames.unite(&choices)
            case 32: try BuiltSessionFrames.enter(&choices)
            default: try BuiltSessionFrames.roster(&choices)
            }
        }
    }
}
