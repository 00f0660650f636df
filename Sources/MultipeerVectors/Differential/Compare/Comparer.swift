/// Asks two implementations the same question, and compares the whole answers.
struct Comparer {
    let own: any VectorSubject
    let other: any VectorSubject
    let crypto: SwiftCrypto

    func compare(_ question: FuzzCase) -> FuzzOutcome {
        switch question {
        case .test(let group, let params, let inputs):
            Self.compared(
                reply { () throws(SubjectFault) in try own.test(group, params: params, inputs: inputs) },
                { reply { () throws(SubjectFault) in try other.test(group, params: params, inputs: inputs) } })
        case .script(let model): ScriptComparer(own: own, other: other, crypto: crypto).compare(model)
        case .node(let model): StepComparer.ofNodes(self).compare(model)
        case .path(let model): StepComparer.ofPaths(self).compare(model)
        }
    }

    private func reply(
        _ ask: () throws(SubjectFault) -> SubjectAnswer
    ) -> Result<SubjectAnswer, SubjectFault> {
        do throws(SubjectFault) { return .success(try ask()) } catch { return .failure(error) }
    }

    /// The other is asked only what this implementation finds a question.
    private static func compared(
        _ own: Result<SubjectAnswer, SubjectFault>, _ other: () -> Result<SubjectAnswer, SubjectFault>
    ) -> FuzzOutcome {
        switch own {
        case .success(.unimplemented), .failure(.unimplemented), .failure(.badQuestion): return .skipped
        case .success, .failure: break
        }
        let other = other()
        switch (own, other) {
        case (_, .success(.unimplemented)), (_, .failure(.unimplemented)): return .skipped
        case (.success(let one), .success(let two)): return compared(one, two)
        default:
            return .different(
                Difference(
                    kind: "\(word(own)) and \(word(other))", own: AnswerText.shown(own), other: AnswerText.shown(other))
            )
        }
    }

    private static func compared(_ own: SubjectAnswer, _ other: SubjectAnswer) -> FuzzOutcome {
        var kind = own.word == other.word ? nil : "\(own.word) and \(other.word)"
        if kind == nil, let name = AnswerText.difference(own.expected, other.expected) {
            kind = "\(own.word) with another \(name)"
        }
        guard let kind else { return .agreed }
        return .different(
            Difference(
                kind: kind, own: AnswerText.shown(.success(own)), other: AnswerText.shown(.success(other))))
    }

    private static func word(_ reply: Result<SubjectAnswer, SubjectFault>) -> String {
        switch reply {
        case .success(let answer): answer.word
        case .failure(let fault): fault.word
        }
    }
}

extension SubjectAnswer {
    /// What was released.
    var expected: JSONValue {
        switch self {
        case .accepted(let expected), .rejected(_, _, let expected), .incomplete(let expected): expected
        case .unimplemented: [:]
        }
    }
}
