/// An attacker at work in every way, at every record. The links make the bytes themselves, so vectors have none for them.
enum HandshakeSeeds {
    static let real = settings([0x00, 0x01, 0x02, 0x07, 0x18, 0x1D, 0x60, 0x83], kinds: [0x00])
    static let insecure = settings([0x00, 0x01, 0x1C, 0x60, 0x83], kinds: [0x00, 0x80])

    private static func settings(_ flags: [UInt8], kinds: [UInt8]) -> [[UInt8]] {
        kinds.flatMap { kind in
            let quiet = flags.map { [$0, kind] }
            let noisy = operations.enumerated().map { index, operation in
                [flags[index % flags.count], kind | UInt8(index % 0x20)] + operation
            }
            return quiet + noisy
        }
    }

    /// Target, action, place, value, and bytes where the action wants some.
    private static let operations: [[UInt8]] = (0..<UInt8(Attacker.Action.allCases.count)).flatMap { action in
        (0..<UInt8(8)).map { target in
            let operation: [UInt8] = [target, action, 0, target &* 9 &+ 3, 0x20 | target]
            let hasBytes = [.insert, .replace, .prepend].contains(Attacker.Action.allCases[Int(action)])
            return operation + (hasBytes ? [4, 0x10, 0x00, 0x12, 0x00] : [])
        }
    }
}
