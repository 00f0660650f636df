/// Makes a question smaller as long as the two still differ in the same way.
struct Shrinker {
    let comparer: Comparer
    let kind: String
    /// How often the two may be asked.
    private var budget: Int

    init(comparer: Comparer, kind: String) {
        self.comparer = comparer
        self.kind = kind
        // An answer that does not come takes the whole time-out.
        budget = kind.contains("HANG") ? 6 : 600
    }

    mutating func shrunk(_ question: FuzzCase) -> FuzzCase {
        switch question {
        case .test(let group, let params, let inputs): shrunk(group, params, inputs)
        case .script(let model): .script(shrunk(model))
        case .node(let model): .node(shrunk(model) { .node($0) })
        case .path(let model): .path(shrunk(model) { .path($0) })
        }
    }

    /// Returns whether the two still differ in this way.
    private mutating func keeps(_ question: FuzzCase) -> Bool {
        guard budget > 0 else { return false }
        budget -= 1
        if case .different(let difference) = comparer.compare(question) { return difference.kind == kind }
        return false
    }

    /// Leaves out parts: halves first, then quarters, and so on, until no single one can be left out.
    private mutating func without<Element>(
        _ all: [Element], _ question: ([Element]) -> FuzzCase
    ) -> [Element] {
        var rest = all
        var length = max(1, rest.count / 2)
        while true {
            let before = rest.count
            var start = 0
            while start < rest.count {
                var candidate = rest
                candidate.removeSubrange(start..<min(rest.count, start + length))
                if keeps(question(candidate)) { rest = candidate } else { start += length }
            }
            if budget == 0 || length == 1 && rest.count == before { return rest }
            length = max(1, length / 2)
        }
    }

    private mutating func shrunk(_ model: StepModel, _ asked: (StepModel) -> FuzzCase) -> StepModel {
        StepModel(
            params: model.params,
            steps: without(model.steps) { asked(StepModel(params: model.params, steps: $0)) })
    }

    // MARK: Stateless groups

    private mutating func shrunk(_ group: VectorGroupType, _ params: JSONValue, _ inputs: JSONValue) -> FuzzCase {
        var members = inputs.members ?? [:]
        let shapes = InputShape.members(of: group)
        for name in members.keys.sorted() {
            let before = members
            func asked(_ value: JSONValue) -> FuzzCase {
                .test(group, params: params, inputs: .object(before.merging([name: value]) { _, new in new }))
            }
            switch shapes[name] {
            case .bytes, .text: members[name] = .hex(without(members[name]?.decodedBytes ?? []) { asked(.hex($0)) })
            case .list, .frames:
                members[name] = .array(without(members[name]?.elements ?? []) { asked(.array($0)) })
            case .fixed, .opening, .counter, .number, .word, nil: break
            }
        }
        return .test(group, params: params, inputs: .object(members))
    }

    // MARK: Scripts

    private mutating func shrunk(_ model: ScriptModel) -> ScriptModel {
        func with(_ pieces: [ScriptPiece]) -> ScriptModel { ScriptModel(params: model.params, pieces: pieces) }
        var pieces = without(model.pieces) { .script(with($0)) }
        for index in pieces.indices {
            var simple = pieces
            simple[index].delivery = .whole
            if simple != pieces, keeps(.script(with(simple))) { pieces = simple }
            guard case .record(let kind, let bytes) = pieces[index].content else { continue }
            let before = pieces
            func asked(_ bytes: [UInt8]) -> FuzzCase {
                var changed = before
                changed[index].content = .record(kind: kind, frames: bytes)
                return .script(with(changed))
            }
            var frames = bytes
            if let parts = ScriptFrame.frames(in: bytes) {
                frames =
                    without(parts.frames) { asked($0.flatMap(\.encoded) + parts.rest) }.flatMap(\.encoded)
                    + parts.rest
            }
            pieces[index].content = .record(kind: kind, frames: frames)
        }
        return with(pieces)
    }
}
