/// Plays one node script on two nodes, and compares them after every step.
struct NodeComparer {
    let own: any VectorSubject
    let other: any VectorSubject
    let crypto: SwiftCrypto

    func compare(_ model: StepModel) -> FuzzOutcome {
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
            do throws(SubjectFault) {
                try other.step(link: two, step)
            } catch {
                // It may not have dialled there yet.
                guard step["address"] != nil, case .badQuestion = error else { throw error }
                return .skipped
            }
            if let difference = try compared(one, two, after: index + 1) { return .different(difference) }
        }
        return .agreed
    }

    /// What was sent, what was reported, and the roster. When a node dials is left free by SPEC §14.8, and when it
    /// wants to be woken is its own affair.
    private func compared(_ one: Int, _ two: Int, after step: Int) throws(SubjectFault) -> Difference? {
        let runner = NodeRunner(crypto: crypto)
        let left = try runner.shown(Self.withoutDials(try own.poll(link: one)))
        let right = try runner.shown(Self.withoutDials(try other.poll(link: two)))
        guard let name = ["sends", "events", "digest"].first(where: { left[$0] != right[$0] }) else { return nil }
        let place: JSONValue = .integer(step)
        return Difference(
            kind: "another \(name): \(Self.words(left[name])) and \(Self.words(right[name]))",
            own: ["afterStep": place, name: left[name] ?? .null],
            other: ["afterStep": place, name: right[name] ?? .null])
    }

    private static func withoutDials(_ poll: LinkPoll) -> LinkPoll {
        var poll = poll
        poll.events.removeAll { $0["event"] == "dial" }
        return poll
    }

    /// Names of frames and events, so that differences that look alike are one kind.
    private static func words(_ values: JSONValue?) -> String {
        let words = (values?.elements ?? []).compactMap {
            $0["frame"]?.text ?? $0["departure"]?.text ?? $0["event"]?.text
        }
        return words.isEmpty ? "nothing" : words.joined(separator: " ")
    }
}
