internal import MultipeerWire

/// Makes new scripts from scripts.
struct ScriptMutator {
    let pool: ScriptPool

    /// A script of the vectors after one to eight changes.
    func make(_ dice: inout Dice) -> ScriptModel {
        var model = pool.model(&dice)
        for _ in 0..<dice.few(atMost: 8) { change(&model, &dice) }
        return model
    }

    private func change(_ model: inout ScriptModel, _ dice: inout Dice) {
        let index = place(in: model, &dice)
        switch dice.below(24) {
        case 0, 1: if index < model.pieces.count { model.pieces.remove(at: index) }
        case 2, 3:
            if index < model.pieces.count {
                model.pieces.insert(model.pieces[index], at: dice.below(model.pieces.count + 1))
            }
        case 4, 5: if index + 1 < model.pieces.count { model.pieces.swapAt(index, index + 1) }
        case 6, 7: insertRecord(&model, at: index, &dice)
        case 8, 9: if !pool.appSteps.isEmpty { insert(dice.pick(pool.appSteps), &model, at: index) }
        case 10, 11: insert(AppSteps.clock(&dice), &model, at: index)
        case 12, 13: changeStep(&model, &dice)
        case 14: merge(&model, at: index)
        case 15: deliver(&model, at: index, &dice)
        case 16: cross(&model, at: index, &dice)
        case 17: changeParams(&model, &dice)
        case 18: changeKind(&model, &dice)
        default: changeRecord(&model, &dice)
        }
    }

    /// Rather after the opening than before it, because a change there ends most scripts.
    private func place(in model: ScriptModel, _ dice: inout Dice) -> Int {
        let first = dice.once(in: 12) ? 0 : min(2, model.pieces.count)
        return first + dice.below(model.pieces.count - first + 1)
    }

    private func insert(_ step: JSONValue, _ model: inout ScriptModel, at index: Int) {
        model.pieces.insert(ScriptPiece(content: .step(step)), at: index)
    }

    /// One to three frames, mostly in the kind of record that SPEC §11 asks for where the script's link is readable.
    private func insertRecord(_ model: inout ScriptModel, at index: Int, _ dice: inout Dice) {
        let frames = (0..<dice.few(atMost: 3)).map { _ in FrameMutator(pool: pool).another(&dice) }
        let isReadable = model.pieces.contains { if case .record(0x11, _) = $0.content { true } else { false } }
        let isPayload = FrameType(rawValue: frames[0].type)?.isPayload ?? false
        let kind: UInt8 = (isReadable && isPayload) != dice.once(in: 12) ? 0x11 : 0x10
        model.pieces.insert(
            ScriptPiece(content: .record(kind: kind, frames: frames.flatMap(\.encoded))), at: index)
    }

    /// One of the records, or, seldom, of the bytes that are no record.
    private func changeRecord(_ model: inout ScriptModel, _ dice: inout Dice) {
        let takesBytes = dice.once(in: 24)
        let indices = model.pieces.indices.filter { index in
            if case .step = model.pieces[index].content { return false }
            return model.pieces[index].isRecord != takesBytes
        }
        guard !indices.isEmpty else { return }
        let index = dice.pick(indices)
        switch model.pieces[index].content {
        case .record(let kind, let frames):
            model.pieces[index].content = .record(
                kind: kind, frames: FrameMutator(pool: pool).mutated(frames, &dice))
        case .bytes(let bytes):
            model.pieces[index].content = .bytes(
                ByteMutator(pieces: [], limit: 1_200).mutated(bytes, &dice))
        case .step: break
        }
    }

    private func changeKind(_ model: inout ScriptModel, _ dice: inout Dice) {
        let indices = model.pieces.indices.filter { model.pieces[$0].isRecord }
        guard !indices.isEmpty, case let index = dice.pick(indices),
            case .record(_, let frames) = model.pieces[index].content
        else { return }
        model.pieces[index].content = .record(kind: dice.pick([0x10, 0x11, 0x11, 0x01, 0x02, 0x12]), frames: frames)
    }

    private func changeStep(_ model: inout ScriptModel, _ dice: inout Dice) {
        let indices = model.pieces.indices.filter {
            if case .step = model.pieces[$0].content { true } else { false }
        }
        guard !indices.isEmpty, case let index = dice.pick(indices), case .step(let step) = model.pieces[index].content
        else { return }
        model.pieces[index].content = .step(AppSteps.changed(step, &dice))
    }

    /// Two records in one.
    private func merge(_ model: inout ScriptModel, at index: Int) {
        guard index + 1 < model.pieces.count, case .record(let kind, let frames) = model.pieces[index].content,
            case .record(_, let more) = model.pieces[index + 1].content
        else { return }
        model.pieces[index + 1].content = .record(kind: kind, frames: frames + more)
        model.pieces.remove(at: index)
    }

    private func deliver(_ model: inout ScriptModel, at index: Int, _ dice: inout Dice) {
        guard index < model.pieces.count else { return }
        model.pieces[index].delivery = dice.pick([.whole, .withNext, .cut(dice.below(24)), .cut(dice.below(200))])
    }

    /// The rest of another script, from anywhere in it.
    private func cross(_ model: inout ScriptModel, at index: Int, _ dice: inout Dice) {
        let other = pool.model(&dice).pieces
        let rest = other[min(other.count, 2 + dice.below(other.count))...].prefix(8)
        model.pieces.replaceSubrange(
            index..., with: rest.filter { if case .bytes = $0.content { false } else { true } })
    }

    private func changeParams(_ model: inout ScriptModel, _ dice: inout Dice) {
        guard case .object(var members) = model.params else { return }
        if dice.once(in: 2) {
            members["maximumMessage"] = .integer(dice.pick([1, 2, 5, 16, 4_096, 1 << 32 - 1]))
        } else {
            members["features"] = .array(dice.once(in: 3) ? [] : [.integer(Int(Feature.verification.rawValue))])
            members["random"] = .array((0..<4).map { _ in .hex(dice.bytes(32)) })
        }
        model.params = .object(members)
    }
}
