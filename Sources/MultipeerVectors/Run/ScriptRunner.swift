internal import MultipeerWire

/// Plays a `LinkScript` (Vectors/README.md) against an implementation.
struct ScriptRunner {
    let crypto: SwiftCrypto

    /// What is compared over the whole script.
    private struct Ends {
        var expected: [JSONValue] = []
        var came: [JSONValue] = []
    }

    func run(
        _ test: VectorTest, params: JSONValue, on subject: any VectorSubject
    ) throws(SubjectFault) -> CaseVerdict {
        try run(test.steps ?? [], params: params, on: subject)
    }

    func run(
        _ steps: [JSONValue], params: JSONValue, on subject: any VectorSubject
    ) throws(SubjectFault) -> CaseVerdict {
        try subject.withLink(.linkScript, params: params) { (link) throws(SubjectFault) in
            try play(steps, params: params, link: link, on: subject)
        }
    }

    private func play(
        _ steps: [JSONValue], params: JSONValue, link: Int, on subject: any VectorSubject
    ) throws(SubjectFault) -> CaseVerdict {
        let arguments = Arguments(params, "params")
        guard let suite = Suite(rawValue: UInt16(truncatingIfNeeded: try arguments.number("suite"))) else {
            return .skipped("unknown suite")
        }
        var reader = SendsReader(
            crypto: crypto, suite: suite, key: arguments.has("sendKey") ? try arguments.bytes("sendKey") : nil)
        var ends = Ends()
        for (index, step) in steps.enumerated() {
            guard step["actor"] == "self" else {
                try subject.step(link: link, step)
                continue
            }
            let poll = try subject.poll(link: link)
            let sends = try reader.read(poll.sends)
            if let difference = compare(sends, poll.events, with: step, &ends) {
                return .failed("step \(index + 1): \(difference)")
            }
        }
        guard ends.came == ends.expected else {
            return .failed("the link ends as \(line(ends.came)), not as \(line(ends.expected))")
        }
        return .passed
    }

    private func compare(
        _ sends: [JSONValue], _ events: [JSONValue], with step: JSONValue, _ ends: inout Ends
    ) -> String? {
        let (expectedSends, expectedEvents) = (step["sends"]?.elements ?? [], step["events"]?.elements ?? [])
        let isSame = sends.count == expectedSends.count && zip(sends, expectedSends).allSatisfy(Self.matches)
        guard isSame else { return "sends \(line(sends)), not \(line(expectedSends))" }
        let (came, expected) = (events.map(Self.comparable), expectedEvents.map(Self.comparable))
        ends.came += came.filter(Self.isEnd)
        ends.expected += expected.filter(Self.isEnd)
        let (rest, expectedRest) = (came.filter { !Self.isEnd($0) }, expected.filter { !Self.isEnd($0) })
        guard rest == expectedRest else { return "reports \(line(rest)), not \(line(expectedRest))" }
        return nil
    }

    private static func isEnd(_ event: JSONValue) -> Bool { event["event"] == "closed" }

    /// A sender may want any number of bytes at once.
    private static func comparable(_ event: JSONValue) -> JSONValue {
        guard case .object(var members) = event else { return event }
        members["maximum"] = nil
        return .object(members)
    }

    /// Whether a frame is the expected one; `*` ends a payload whose signature cannot be foreseen.
    private static func matches(_ came: JSONValue, _ expected: JSONValue) -> Bool {
        guard let pattern = expected["payload"]?.text, pattern.hasSuffix("*") else { return came == expected }
        guard let payload = came["payload"]?.text, came["frame"] == expected["frame"],
            came["protection"] == expected["protection"]
        else { return false }
        let prefix = pattern.dropLast()
        // A vector of no bytes is one byte, `00`, and an empty field list is another one.
        return payload.hasPrefix(prefix) && payload.count > prefix.count + 4
    }

    private func line(_ values: [JSONValue]) -> String { JSONWriter.line(.array(values)).shortened }
}
