/// Plays one node script on two nodes, and compares them after every step.
struct NodeComparer {
    let own: any VectorSubject
    let other: any VectorSubject
    let crypto: SwiftCrypto

    func compare(_ model: NodeModel) -> FuzzOutcome {
        var pair: (own: Int, other: Int)?
        defer {
            // A node that fell has nothing to forget.
            if let pair {
                try? own.free(link: pair.own)
                try? other.free(link: pair.other)
            }
        }
        do throws(SubjectFault) {
            guard let one = try own.makeLink(.nodeScript, params: model.params) else { return .skipped }
            pair = (one, -1)
        } catch { return .skipped }
        guard let one = pair?.own else { return .skipped }
        do throws(SubjectFault) {
            guard let two = try other.makeLink(.nodeScript, params: model.params) else { return .skipped }
            pair = (one, two)
            return try play(model.steps, one, two)
        } catch {
            guard error != .unimplemented else { return .skipped }
            return .different(
                Difference(kind: "answer and \(error.word)", own: ["ok": true], other: AnswerText.shown(error)))
        }
    }

    private func play(_ steps: [JSONValue], _ one: Int, _ two: Int) throws(SubjectFault) -> FuzzOutcome {
        if let difference = try compared(one, two, after: 0) { return .different(difference) }
        for (index, step) in steps.enumerated() {
            // What this implementation finds no step is left out.
            do throws(SubjectFault) { try own.step(link: one, step) } catch { continue }
            try other.step(link: two, step)
            if let difference = try compared(one, two, after: index + 1) { return .different(difference) }
        }
        return .agreed
    }

    /// What was sent, what was told, and the roster. When a node wants to be woken is its own affair.
    private func compared(_ one: Int, _ two: Int, after step: Int) throws(SubjectFault) -> Difference? {
        let runner = NodeRunner(crypto: crypto)
        let (left, right) = (try runner.shown(try own.poll(link: one)), try runner.shown(try other.poll(link: two)))
        guard let name = ["sends", "events", "digest"].first(where: { left[$0] != right[$0] }) else { return nil }
        let place: JSONValue = .integer(step)
        return Difference(
            kind: "another \(name)", own: ["afterStep": place, name: left[name] ?? .null],
            other: ["afterStep": place, name: right[name] ?? .null])
    }
}
