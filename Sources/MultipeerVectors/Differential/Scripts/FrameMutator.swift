internal import MultipeerWire

/// Changes what a record of the peer holds.
struct FrameMutator {
    let pool: ScriptPool

    /// Every type of SPEC §6.3, and types that it does not know.
    private static let types: [UInt64] = [
        0x00, 0x01, 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x40, 0x42, 0x50, 0x52, 0x54, 0x56, 0x58,
        0x5A, 0x70, 0x72, 0x74, 0x76, 0x78, 0x7A, 0x7C,
        0x71, 0x7E, 0x03, 0x1F, 0x14, 0x44, 0x57, 0x3FFF, 0x4000, 0x4001, VarInt.maximum,
    ]

    func mutated(_ plaintext: [UInt8], _ dice: inout Dice) -> [UInt8] {
        guard !dice.once(in: 8), var (frames, rest) = ScriptFrame.frames(in: plaintext), !frames.isEmpty else {
            return bytes.mutated(plaintext, &dice)
        }
        let index = dice.below(frames.count)
        switch dice.below(10) {
        case 0: frames.remove(at: index)
        case 1: frames.insert(frames[index], at: dice.below(frames.count + 1))
        case 2: frames.swapAt(index, dice.below(frames.count))
        case 3: frames[index].type = dice.pick(Self.types)
        case 4, 5: frames.insert(another(&dice), at: dice.below(frames.count + 1))
        case 6: frames[index].payload = alike(frames[index], &dice)
        default: frames[index].payload = bytes.mutated(frames[index].payload, &dice)
        }
        rest = dice.once(in: 32) ? [] : rest
        return frames.flatMap(\.encoded) + rest
    }

    private var bytes: ByteMutator { ByteMutator(pieces: pool.frames.map(\.payload), limit: 2_000) }

    /// A frame of any script.
    func another(_ dice: inout Dice) -> ScriptFrame {
        guard !pool.frames.isEmpty else { return ScriptFrame(type: dice.pick(Self.types), payload: []) }
        // Not in proportion to how many variants of each there are.
        let type = dice.pick(pool.frameTypes)
        return dice.pick(pool.frames.filter { $0.type == type })
    }

    /// The payload of another frame of the same type.
    private func alike(_ frame: ScriptFrame, _ dice: inout Dice) -> [UInt8] {
        let others = pool.frames.filter { $0.type == frame.type }
        return others.isEmpty ? frame.payload : dice.pick(others).payload
    }
}
