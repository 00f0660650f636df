/// Plays one script of a path on two paths, and compares what they send and report after every step.
struct DatagramComparer {
    let own: any VectorSubject
    let other: any VectorSubject
    let crypto: SwiftCrypto

    func compare(_ model: StepModel) -> FuzzOutcome {
        do throws(SubjectFault) {
            return try own.withLink(.datagramScript, params: model.params, otherwise: .skipped) {
                (one) throws(SubjectFault) in
                try other.withLink(.datagramScript, params: model.params, otherwise: .skipped) {
                    (two) throws(SubjectFault) in
                    try play(model, one, two)
                }
            }
        } catch {
            guard error != .unimplemented else { return .skipped }
            return .different(
                Difference(kind: "answer and \(error.word)", own: ["ok": true], other: AnswerText.shown(error)))
        }
    }

    private func play(_ model: StepModel, _ one: Int, _ two: Int) throws(SubjectFault) -> FuzzOutcome {
        if let difference = try compared(one, two, model.params, after: 0) { return .different(difference) }
        for (index, step) in model.steps.enumerated() {
            // What this implementation finds no step is left out.
            do throws(SubjectFault) { try own.step(link: one, step) } catch { continue }
            try other.step(link: two, step)
            if let difference = try compared(one, two, model.params, after: index + 1) { return .different(difference) }
        }
        return .agreed
    }

    private func compared(
        _ one: Int, _ two: Int, _ params: JSONValue, after step: Int
    ) throws(SubjectFault) -> Difference? {
        let runner = DatagramRunner(crypto: crypto)
        let left = try runner.shown(try own.poll(link: one), params)
        let right = try runner.shown(try other.poll(link: two), params)
        guard let name = ["sends", "events"].first(where: { left[$0] != right[$0] }) else { return nil }
        let place: JSONValue = .integer(step)
        return Difference(
            kind: "another \(name): \(Self.words(left[name])) and \(Self.words(right[name]))",
            own: ["afterStep": place, name: left[name] ?? .null],
            other: ["afterStep": place, name: right[name] ?? .null])
    }

    /// What kinds of packets and events, so that differences that look alike are one kind.
    private static func words(_ values: JSONValue?) -> String {
        let words = (values?.elements ?? []).map { value in
            value["event"]?.text
                ?? (value["challenge"] != nil ? "probe" : value["greatest"] != nil ? "report" : "message")
        }
        return words.isEmpty ? "nothing" : words.joined(separator: " ")
    }
}
