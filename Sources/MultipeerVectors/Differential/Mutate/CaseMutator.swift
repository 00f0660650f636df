internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// Makes questions out of vectors.
struct CaseMutator {
    let pool: SeedPool
    let crypto: SwiftCrypto

    /// A question of a group that has seeds.
    func make(_ group: VectorGroupType, _ dice: inout Dice) -> FuzzCase {
        guard group != .linkScript else { return .script(ScriptMutator(pool: pool.scripts).make(&dice)) }
        guard group != .nodeScript else { return .node(NodeMutator(pool: pool.nodes).make(&dice)) }
        guard group != .datagramScript else {
            return .path(DatagramMutator(pool: pool.paths, crypto: crypto).make(&dice))
        }
        let seed = pool.seed(of: group, &dice)
        let params = dice.once(in: 6) ? pool.seed(of: group, &dice).params : seed.params
        var inputs = seed.inputs.members ?? [:]
        if dice.once(in: 6) { cross(&inputs, group, &dice) }
        let shapes = InputShape.members(of: group)
        let names = inputs.keys.filter { shapes[$0] != nil }.sorted()
        for _ in 0..<(names.isEmpty ? 0 : dice.few(atMost: 3)) {
            let name = dice.pick(names)
            if let shape = shapes[name], let value = inputs[name] {
                inputs[name] = mutated(value, as: shape, of: group, &dice)
            }
        }
        Repairs(crypto: crypto).repair(&inputs, of: group, params, &dice)
        return .test(group, params: params, inputs: .object(inputs))
    }

    /// A member of another case, or one that this case lacks, or none where it may lack one.
    private func cross(_ inputs: inout [String: JSONValue], _ group: VectorGroupType, _ dice: inout Dice) {
        let other = pool.seed(of: group, &dice).inputs.members ?? [:]
        let names = Set(inputs.keys).intersection(other.keys)
            .union(Set(inputs.keys).symmetricDifference(other.keys).intersection(InputShape.optional)).sorted()
        if !names.isEmpty {
            let name = dice.pick(names)
            inputs[name] = other[name]
        }
    }

    /// The longest byte string of a group that is asked for often. The pieces of a stream take quadratic time.
    private func limit(_ group: VectorGroupType, _ dice: inout Dice) -> Int {
        group == .recordStream ? (dice.once(in: 64) ? 4_200 : 1_300) : SeedPool.usualLength
    }

    private func mutated(
        _ value: JSONValue, as shape: InputShape, of group: VectorGroupType, _ dice: inout Dice
    ) -> JSONValue {
        let mutator = ByteMutator(pieces: pool.pieces[group] ?? [], limit: limit(group, &dice))
        switch shape {
        case .bytes: return .hex(mutator.mutated(value.decodedBytes, &dice))
        case .text:
            let isText = !dice.once(in: 4)
            return .hex(
                isText
                    ? TextMutator.mutated(value.decodedBytes, others: mutator.pieces, &dice)
                    : mutator.mutated(value.decodedBytes, &dice))
        case .fixed(let count): return .hex(fixed(value.decodedBytes, count, mutator, &dice))
        case .opening: return .hex(opening(value.decodedBytes, mutator, &dice))
        case .list: return list(value, &dice) { .hex(mutator.mutated($0.decodedBytes, &$1)) }
        case .frames: return list(value, &dice) { frame($0, mutator, &$1) }
        case .counter: return .wide(counter(&dice))
        case .number(let numbers): return .integer(dice.pick(numbers))
        case .word(let words): return .string(dice.pick(words))
        }
    }

    private func fixed(_ bytes: [UInt8], _ count: Int, _ mutator: ByteMutator, _ dice: inout Dice) -> [UInt8] {
        let others = mutator.pieces.filter { $0.count == count }
        return others.isEmpty || dice.once(in: 2) ? mutator.changedInPlace(bytes, &dice) : dice.pick(others)
    }

    /// Another body, with the header that it needs; the old one where no HELLO can be so long.
    private func opening(_ bytes: [UInt8], _ mutator: ByteMutator, _ dice: inout Dice) -> [UInt8] {
        let head = Magic.bytes.count + RecordHeader.length
        let body = mutator.mutated(Array(bytes.dropFirst(head)), &dice)
        guard (39...1_024).contains(body.count) else { return bytes }
        return Magic.bytes + WireBytes.record(RecordKind.hello.rawValue, body)
    }

    /// An element left out, doubled, moved or changed.
    private func list(
        _ value: JSONValue, _ dice: inout Dice, _ change: (JSONValue, inout Dice) -> JSONValue
    ) -> JSONValue {
        var elements = value.elements ?? []
        guard !elements.isEmpty else { return value }
        let index = dice.below(elements.count)
        switch dice.below(6) {
        case 0: elements.remove(at: index)
        case 1: elements.insert(elements[index], at: dice.below(elements.count + 1))
        case 2: elements.swapAt(index, dice.below(elements.count))
        default: elements[index] = change(elements[index], &dice)
        }
        return .array(elements)
    }

    /// A MESSAGE or a MESSAGE_PART.
    private func frame(_ value: JSONValue, _ mutator: ByteMutator, _ dice: inout Dice) -> JSONValue {
        guard case .object(var members) = value else { return value }
        if dice.once(in: 4) {
            members["type"] = .wide(dice.pick([FrameType.message, .messagePart]).rawValue)
        } else {
            members["payload"] = .hex(mutator.mutated(value["payload"]?.decodedBytes ?? [], &dice))
        }
        return .object(members)
    }

    /// Around the places where keys change and counters end.
    private func counter(_ dice: inout Dice) -> UInt64 {
        let near: [UInt64] = [1, 65_535, 65_536, 131_071, 1 << 32, 1 << 63, UInt64.max - 1]
        return dice.pick(near) &+ UInt64(dice.below(3)) &- 1
    }
}

extension JSONValue {
    /// The bytes that hexadecimal text stands for; none for anything else.
    var decodedBytes: [UInt8] { text.flatMap(Hexadecimal.decode) ?? [] }
}
