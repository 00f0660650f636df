internal import MultipeerCrypto

/// The vectors as material for mutations.
struct SeedPool {
    /// A case of a stateless group.
    struct Seed {
        let params: JSONValue
        let inputs: JSONValue
    }

    /// Longer byte strings cost time and show little, so they are taken only seldom.
    static let usualLength = 3_000

    private(set) var seeds: [VectorGroupType: [Seed]] = [:]
    private(set) var longSeeds: [VectorGroupType: [Seed]] = [:]
    /// Byte strings of a group's inputs, to splice from.
    private(set) var pieces: [VectorGroupType: [[UInt8]]] = [:]
    private(set) var scripts = ScriptPool()
    private(set) var nodes = NodePool()
    private(set) var paths = DatagramPool()

    init(_ set: VectorSet, crypto: SwiftCrypto) {
        for (name, file) in set.files {
            for group in file.groups {
                for test in group.tests { add(test, of: group, name, crypto) }
            }
        }
    }

    private mutating func add(_ test: VectorTest, of group: VectorGroup, _ file: String, _ crypto: SwiftCrypto) {
        switch group.type {
        case .linkScript: scripts.add(group.params, test.steps ?? [], of: file, crypto: crypto)
        case .session:
            for role in ["initiator", "responder"] {
                guard let params = try? SessionRunner.side(group.params, role) else { continue }
                scripts.add(params, SessionRunner.steps(test.steps ?? [], of: role), of: file, crypto: crypto)
            }
        case .nodeScript: nodes.add(group.params, test.steps ?? [], of: file)
        case .datagramScript: paths.add(group.params, test.steps ?? [])
        // Associations are compared by their scripts alone.
        case .associationScript: break
        default: add(group.type, Seed(params: group.params, inputs: test.inputs))
        }
    }

    private mutating func add(_ group: VectorGroupType, _ vector: Seed) {
        let inputs = vector.inputs.members ?? [:]
        let strings = inputs.sorted { $0.key < $1.key }.flatMap { Self.strings($0.value) }
        let seed = Seed(
            params: vector.params, inputs: .object(inputs.filter { !InputShape.signers.contains($0.key) }))
        if strings.contains(where: { $0.count > Self.usualLength }) {
            longSeeds[group, default: []].append(seed)
        } else {
            seeds[group, default: []].append(seed)
            pieces[group, default: []] += strings.filter { !$0.isEmpty }
        }
    }

    private static func strings(_ value: JSONValue) -> [[UInt8]] {
        switch value {
        case .string(let text): Hexadecimal.decode(text).map { [$0] } ?? []
        case .array(let elements): elements.flatMap(strings)
        case .object(let members): members.sorted { $0.key < $1.key }.flatMap { strings($0.value) }
        case .null, .bool, .integer: []
        }
    }

    /// Groups that have a seed.
    var groups: Set<VectorGroupType> {
        Set(seeds.keys).union(longSeeds.keys).union(scripts.isEmpty ? [] : [.linkScript])
            .union(nodes.isEmpty ? [] : [.nodeScript]).union(paths.models.isEmpty ? [] : [.datagramScript])
    }

    /// A seed of a group that has one.
    func seed(of group: VectorGroupType, _ dice: inout Dice) -> Seed {
        let (usual, long) = (seeds[group] ?? [], longSeeds[group] ?? [])
        let takesLong = usual.isEmpty || !long.isEmpty && dice.once(in: 64)
        return dice.pick(takesLong ? long : usual)
    }
}
