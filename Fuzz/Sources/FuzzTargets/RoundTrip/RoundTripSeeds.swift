/// One of each thing that can be built, and a few of all in a row. No vector has these choices: they are no bytes of peers.
enum RoundTripSeeds {
    static func make() -> [[UInt8]] {
        let each = (0..<33).map { kind in [UInt8(kind)] + (0..<120).map { UInt8(truncatingIfNeeded: $0 * 37 + kind) } }
        let longest = (0..<33).map { kind in [UInt8(kind)] + [UInt8](repeating: 0xFF, count: 48) }
        return each + longest + [each.flatMap { $0.prefix(60) }]
    }
}
