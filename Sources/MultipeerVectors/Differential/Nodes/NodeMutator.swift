/// All node scripts of the vectors, and what can be put from one into another: they speak of the same members.
struct NodePool {
    /// Longer scripts cost time, and rosters of hundreds show little more.
    private static let longest = 40_000

    /// By file, because some files have many scripts that are alike.
    private var models: [String: [StepModel]] = [:]
    private var names: [String] = []
    private(set) var steps: [JSONValue] = []
    /// Frames of peers.
    private(set) var payloads: [[UInt8]] = []
    private var seen: Set<String> = []

    var isEmpty: Bool { models.isEmpty }

    mutating func add(_ params: JSONValue, _ steps: [JSONValue], of file: String) {
        let steps = steps.filter { $0["actor"] != "self" }
        guard JSONWriter.line(.array(steps + [params])).utf8.count < Self.longest,
            !steps.contains(where: { $0["times"] != nil })
        else { return }
        models[file, default: []].append(StepModel(params: params, steps: steps))
        if names.last != file { names.append(file) }
        for step in steps where seen.insert(JSONWriter.line(step)).inserted {
            self.steps.append(step)
            if let payload = step["payload"] { payloads.append(payload.decodedBytes) }
        }
    }

    /// One of the scripts, of which there is at least one.
    func model(_ dice: inout Dice) -> StepModel {
        let name = dice.pick(names)
        return models[name].map { dice.pick($0) } ?? StepModel(params: [:], steps: [])
    }
}

/// Makes new node scripts from node scripts.
struct NodeMutator {
    let pool: NodePool

    /// Times around those of SPEC §8.7 and §14.
    private static let times = [
        0, 1, 249, 250, 499, 500, 9_999, 10_000, 10_001, 29_999, 30_000, 59_999, 60_000, 60_001, 120_000, 600_000,
    ]

    /// A script of the vectors after one to six changes.
    func make(_ dice: inout Dice) -> StepModel {
        var model = pool.model(&dice)
        for _ in 0..<dice.few(atMost: 6) { change(&model, &dice) }
        return model
    }

    private func change(_ model: inout StepModel, _ dice: inout Dice) {
        let (count, place) = (model.steps.count, dice.below(model.steps.count + 1))
        switch dice.below(12) {
        case 0, 1: if place < count { model.steps.remove(at: place) }
        case 2: if place < count { model.steps.insert(model.steps[place], at: dice.below(count + 1)) }
        case 3: if place + 1 < count { model.steps.swapAt(place, place + 1) }
        case 4, 5: model.steps.insert(["actor": "clock", "advance": .integer(dice.pick(Self.times))], at: place)
        case 6, 7: model.steps.insert(dice.pick(pool.steps), at: place)
        // The rest of another script.
        case 8: model.steps.replaceSubrange(place..., with: pool.model(&dice).steps.suffix(8))
        case 9: model.params = pool.model(&dice).params
        case 10: if place < count { model.steps[place] = onAnotherLink(model.steps[place], &dice) }
        default: if place < count { model.steps[place] = changed(model.steps[place], &dice) }
        }
    }

    private func onAnotherLink(_ step: JSONValue, _ dice: inout Dice) -> JSONValue {
        guard case .object(var members) = step, step["link"] != nil else { return step }
        members["link"] = .integer(1 + dice.below(4))
        return .object(members)
    }

    /// Another payload, or a fault of the record.
    private func changed(_ step: JSONValue, _ dice: inout Dice) -> JSONValue {
        guard case .object(var members) = step, let payload = step["payload"] else { return step }
        switch dice.below(6) {
        case 0: members["fault"] = .string(dice.pick(["tag", "cut"]))
        default:
            let mutator = ByteMutator(pieces: pool.payloads, limit: 2_000)
            members["payload"] = .hex(mutator.mutated(payload.decodedBytes, &dice))
        }
        return .object(members)
    }
}
