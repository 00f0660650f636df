public import FuzzSupport
import MultipeerVectors

extension FuzzTarget {
    /// An association alone: a peer's frames, an app and the clock, against a model of SPEC §13 and §15 that counts five kinds
    /// of credit and keeps tables of numbers, streams and files.
    public static let association = FuzzTarget(
        name: "Association", maximumLength: 600, memory: MemoryBudget(base: 6_291_456, perByte: 256),
        minimumFeatures: 11_200,
        seeds: { AssociationSeeds.make($0) }, run: { try play($0) })

    private static func play(_ input: Span<UInt8>) throws {
        var choices = Choices(input)
        let duel = AssociationDuel(AssociationSetting(&choices))
        while !choices.isEmpty, duel.goesOn {
            let byte = choices.byte()
            let argument = Int(byte >> 4)
            switch byte & 15 {
            case 0...7:
                let frame = AssociationFrames.make(argument % 15, duel.association, &choices, &duel.budget)
                try duel.receive(frame)
            case 8:
                let type = AssociationFrames.types[argument % AssociationFrames.types.count]
                try duel.receive(ModelSent(type, choices.bytes(upTo: 80)))
            case 9: try duel.advance(to: duel.association.now + UInt64(choices.byte()) * 1_000_000)
            case 10: try duel.advance(to: duel.association.now + UInt64(argument) * 1_000_000_000)
            default: try duel.usePayload(argument, &choices)
            }
        }
        try duel.end()
    }
}

/// The peer whose association it is: the first byte of an input.
struct AssociationSetting {
    let hasLesserKey: Bool
    let keepsAlive: Bool
    let maximumMessage: UInt64

    init(_ choices: inout Choices) {
        let flags = choices.byte()
        (hasLesserKey, keepsAlive) = (flags & 1 == 0, flags & 2 != 0)
        maximumMessage = [16_777_216, 4_294_967_295, 1, 300, 70_000, 63, 65_536, 400_000][Int(flags >> 5)]
    }
}
