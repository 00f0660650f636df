/// Plays one script on two nodes, or on two paths, and compares them after every step.
struct StepComparer {
    let own: any VectorSubject
    let other: any VectorSubject
    let crypto: SwiftCrypto
    let group: VectorGroupType
    /// What both must say alike.
    let parts: [String]

    /// What was sent, what was reported, and the roster. Where a node dials, another one may not have dialled yet.
    static func ofNodes(_ comparer: Comparer) -> StepComparer {
        StepComparer(
            own: comparer.own, other: comparer.other, crypto: comparer.crypto, group: .nodeScript,
            parts: ["sends", "events", "digest"])
    }

    static func ofPaths(_ comparer: Comparer) -> StepComparer {
        StepComparer(
            own: comparer.own, other: comparer.other, crypto: comparer.crypto, group: .datagramScript,
            parts: ["sends", "events"])
    }

    func compare(_ model: StepModel) -> FuzzOutcome {
        do throws(SubjectFault) {
            return try own.withLink(group, params: model.params, otherwise: .skipped) { (one) throws(SubjectFault) in
                compare(model, one)
            }
        } catch { return .skipped }
    }

    private func compare(_ model: StepModel, _ one: Int) -> FuzzOutcome {
        do throws(SubjectFault) {
            return try other.withLink(group, params: model.params, otherwise: .skipped) { (two) throws(SubjectFault) in
                try play(model, one, two)
            }
        } catch {
            guard error != .unimplemented else { return .skipped }
            return .different(
                Difference(kind: "answer and \(error.word)", own: ["ok": true], other: AnswerText.shown(error)))
        }
    }

    private func play(_ model: StepModel, _ one: Int, _ two: Int) throws(SubjectFault) -> FuzzOutcome {
        if let difference = try compared(one, two, model.params, after: 0) { return .different(difference) }
        var links = 0
        for (index, step) in model.steps.enumerated() {
            if step["identitySeed"] != nil { links += 1 }
            // What this implementation finds no step is left out.
            do throws(SubjectFault) { try own.step(link: one, step) } catch { continue }
            do throws(SubjectFault) {
                try other.step(link: two, step)
            } catch {
                // It may not have dialled there yet.
                guard step["address"] != nil, case .badQuestion = error else { throw error }
                return .skipped
            }
            let difference = try compared(one, two, model.params, after: index + 1)
            guard let difference else { continue }
            // Which of several neighbours is asked, chance says (R14.6-3). What follows from that differs as well.
            let isByChance = links > 1 && step["actor"]?.text == "clock" && Self.differsInQuestions(difference)
            return isByChance ? .agreed : .different(difference)
        }
        return .agreed
    }

    /// Whether what both sent at a time of their own is the same but for DIGEST, UNITE that is sent again, and the REKEY that links with
    /// records need.
    private static func differsInQuestions(_ difference: Difference) -> Bool {
        guard let own = difference.own["sends"]?.elements, let other = difference.other["sends"]?.elements else {
            return false
        }
        func others(_ frames: [JSONValue]) -> [JSONValue] {
            frames.filter { !["DIGEST", "UNITE", "REKEY"].contains($0["frame"]?.text ?? "") }
        }
        return others(own) == others(other)
    }

    private func compared(
        _ one: Int, _ two: Int, _ params: JSONValue, after step: Int
    ) throws(SubjectFault) -> Difference? {
        let left = try shown(try own.poll(link: one), params)
        let right = try shown(try other.poll(link: two), params)
        guard let name = parts.first(where: { left[$0] != right[$0] }) else { return nil }
        let place: JSONValue = .integer(step)
        return Difference(
            kind: "another \(name): \(Self.words(left[name])) and \(Self.words(right[name]))",
            own: ["afterStep": place, name: left[name] ?? .null],
            other: ["afterStep": place, name: right[name] ?? .null])
    }

    /// When a node dials is left free by SPEC §14.8, and when it wants to be woken is its own affair.
    private func shown(_ poll: LinkPoll, _ params: JSONValue) throws(SubjectFault) -> JSONValue {
        guard group == .nodeScript else { return try DatagramRunner(crypto: crypto).shown(poll, params) }
        var poll = poll
        poll.events.removeAll { $0["event"] == "dial" }
        return try NodeRunner(crypto: crypto).shown(poll)
    }

    /// Names of frames, packets and events, so that differences that look alike are one kind.
    private static func words(_ values: JSONValue?) -> String {
        let words = (values?.elements ?? []).compactMap { value in
            value["frame"]?.text ?? value["departure"]?.text ?? value["event"]?.text ?? packet(value)
        }
        return words.isEmpty ? "nothing" : words.joined(separator: " ")
    }

    private static func packet(_ value: JSONValue) -> String? {
        if value["challenge"] != nil { return "probe" }
        if value["greatest"] != nil { return "report" }
        return value["message"] != nil ? "message" : nil
    }
}
