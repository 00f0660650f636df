import FuzzSupport
import MultipeerWire

/// The registries of SPEC §6.3, §7.4, §18, asked for any number.
enum Registries {
    static func names(_ choices: inout Choices) throws {
        let number = Values.varint(&choices)
        if let type = FrameType(rawValue: number) {
            let namesakes = FrameType.allCases.filter { $0.name == type.name }
            try requireEqual(namesakes, [type], "frames named \(type.name)")
            try require(!type.isPayload || number >= 0x40, "control frames are below 0x40")
        }
        let codes = CloseCode.registry.filter { $0.code.rawValue == number }
        try require(codes.count <= 1, "a code stands twice in the registry: \(number)")
        // SPEC §7.4: GREASE values are 0x0A0A, 0x1A1A … 0xFAFA.
        let value = choices.uint16()
        let isGrease = value & 0x0F0F == 0x0A0A && value >> 8 == value & 0xFF
        try requireEqual(Grease.contains(value), isGrease, "GREASE \(value)")
        try require(Grease.contains(Grease.value(choices.byte())), "what is sent as GREASE is GREASE")
    }
}
