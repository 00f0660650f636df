/// The same link in both implementations.
struct LinkPair {
    var own: LinkSide
    var other: LinkSide

    /// False where either has no links.
    mutating func begin(_ params: JSONValue) throws(LinkSide.Fault) -> Bool {
        guard try own.begin(params) else { return false }
        guard try other.begin(params) else {
            own.free()
            return false
        }
        return true
    }

    mutating func play(_ steps: [JSONValue]) throws(LinkSide.Fault) -> FuzzOutcome {
        defer {
            own.free()
            other.free()
        }
        // A link may have something to say before anything happens.
        if let difference = try compared(after: 0) { return .different(difference) }
        for (index, step) in steps.enumerated() {
            try own.take(step)
            try other.take(step)
            if let difference = try compared(after: index + 1) { return .different(difference) }
        }
        guard own.ends == other.ends else {
            return .different(
                Difference(
                    kind: "ends \(Self.words(own.ends)) and \(Self.words(other.ends))",
                    own: ["closed": .array(own.ends)], other: ["closed": .array(other.ends)]))
        }
        return .agreed
    }

    private static func words(_ ends: [JSONValue]) -> String {
        ends.map { $0["end"]?.text ?? "?" }.joined(separator: ", ")
    }

    /// Sends and events always, the deadline until either has reported its end: when it does is its own affair.
    private mutating func compared(after step: Int) throws(LinkSide.Fault) -> Difference? {
        let isEarly = own.ends.isEmpty && other.ends.isEmpty
        let (one, two) = (try own.look(), try other.look())
        let names = ["sends", "events"] + (isEarly && own.ends.isEmpty && other.ends.isEmpty ? ["deadline"] : [])
        guard let name = names.first(where: { one[$0] != two[$0] }) else { return nil }
        let place: JSONValue = .integer(step)
        return Difference(
            kind: "another \(name)", own: ["afterStep": place, name: one[name] ?? .null],
            other: ["afterStep": place, name: two[name] ?? .null])
    }

    /// The outcome of a peer that could not continue. What this implementation finds no question is none.
    func outcome(of fault: LinkSide.Fault) -> FuzzOutcome {
        switch fault.fault {
        case .unimplemented: return .skipped
        case .badQuestion where fault.isOwn: return .skipped
        case .badQuestion, .inconsistent, .fault, .hang: break
        }
        let (went, fell): (JSONValue, JSONValue) = (["ok": true], AnswerText.shown(fault.fault))
        return .different(
            Difference(
                kind: fault.isOwn ? "\(fault.fault.word) and answer" : "answer and \(fault.fault.word)",
                own: fault.isOwn ? fell : went, other: fault.isOwn ? went : fell))
    }
}
