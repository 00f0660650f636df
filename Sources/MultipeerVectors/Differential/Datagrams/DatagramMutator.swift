@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// All scripts of paths of the vectors.
struct DatagramPool {
    private(set) var models: [StepModel] = []
    private(set) var steps: [JSONValue] = []
    private var seen: Set<String> = []

    mutating func add(_ params: JSONValue, _ steps: [JSONValue]) {
        let steps = steps.filter { $0["actor"] != "self" }
        models.append(StepModel(params: params, steps: steps))
        for step in steps where seen.insert(JSONWriter.line(step)).inserted { self.steps.append(step) }
    }
}

/// Makes new scripts of paths from such scripts.
struct DatagramMutator {
    let pool: DatagramPool
    let crypto: SwiftCrypto

    /// Times around those of SPEC §26.5 to §26.7.
    private static let times = [
        0, 1, 19, 20, 100, 249, 250, 270, 499, 500, 999, 1_000, 2_000, 3_000, 3_001, 4_000, 14_999, 15_000, 18_000,
        44_999, 45_000, 60_000, 120_000, 300_000,
    ]
    private static let ports = [50_001, 50_002, 40_000, 40_001, 1_023, 1_024, 5_353]

    /// A script of the vectors after one to ten changes.
    func make(_ dice: inout Dice) -> StepModel {
        var model = dice.pick(pool.models)
        for _ in 0..<dice.few(atMost: 10) { change(&model, &dice) }
        return model
    }

    private func change(_ model: inout StepModel, _ dice: inout Dice) {
        let (count, place) = (model.steps.count, dice.below(model.steps.count + 1))
        switch dice.below(12) {
        case 0: if place < count { model.steps.remove(at: place) }
        case 1: if place < count { model.steps.insert(model.steps[place], at: dice.below(count + 1)) }
        case 2: if place + 1 < count { model.steps.swapAt(place, place + 1) }
        case 3, 4: model.steps.insert(["actor": "clock", "advance": .integer(dice.pick(Self.times))], at: place)
        case 5: model.steps.insert(dice.pick(pool.steps), at: place)
        // The rest of another script.
        case 6: model.steps.replaceSubrange(place..., with: dice.pick(pool.models).steps.suffix(8))
        case 7: if place < count { model.steps[place] = fromAnotherPort(model.steps[place], &dice) }
        default: if let step = packet(model.params, &dice) { model.steps.insert(step, at: place) }
        }
    }

    private func fromAnotherPort(_ step: JSONValue, _ dice: inout Dice) -> JSONValue {
        guard case .object(var members) = step, step["port"] != nil else { return step }
        members["port"] = .integer(dice.pick(Self.ports))
        return .object(members)
    }

    // MARK: Packets

    /// A packet of the peer that verifies, with a counter that is often new.
    private func packet(_ params: JSONValue, _ dice: inout Dice) -> JSONValue? {
        guard let role = params["role"]?.text.flatMap(LinkRole.init(name:)),
            let number = try? Arguments(params, "params").number("suite"),
            let suite = Suite(rawValue: UInt16(truncatingIfNeeded: number))
        else { return nil }
        let kind = dice.pick([DatagramKind.probe, .probe, .message, .report])
        let contents = contents(of: kind, params, &dice)
        let secret = params["exporterSecret"]?.decodedBytes ?? []
        guard let exporterSecret = try? crypto.provider.secrets.makeSecret(copying: secret.span),
            let sealed = try? DatagramAccess.seal(
                by: role.peer, suite: suite, exporterSecret: exporterSecret, kind: kind, contents: contents,
                counter: UInt64(dice.once(in: 8) ? dice.below(70_000) : dice.below(64)), crypto: crypto.provider)
        else { return nil }
        let port = role == .initiator ? 50_001 : dice.once(in: 3) ? dice.pick(Self.ports) : 50_002
        return ["actor": "peer", "port": .integer(port), "packet": .hex(sealed.packet)]
    }

    private func contents(of kind: DatagramKind, _ params: JSONValue, _ dice: inout Dice) -> [UInt8] {
        switch kind {
        case .message: return dice.bytes(dice.pick([0, 1, 5, 900, 1_167]))
        case .report:
            let greatest = UInt64(dice.below(40))
            let received = greatest &+ 1 &- UInt64(dice.below(4))
            let delay = dice.once(in: 4) ? UInt32.max : UInt32(dice.below(100_000))
            return DatagramReport(greatest: greatest, received: received, delay: delay).bytes
        case .probe:
            let challenges = params["challenges"]?.elements ?? []
            let answers =
                dice.once(in: 2)
                ? [UInt8](repeating: 0, count: 8)
                : challenges.isEmpty ? [] : dice.pick(Array(challenges.prefix(8))).decodedBytes
            let asks = dice.once(in: 2) ? [UInt8](repeating: 0, count: 8) : dice.bytes(8)
            return asks + answers + [UInt8](repeating: 0, count: DatagramHeader.maximumContents - 8 - answers.count)
        }
    }
}
